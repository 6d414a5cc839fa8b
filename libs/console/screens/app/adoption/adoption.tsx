import { keepPreviousData } from '@tanstack/react-query';
import type { App, Adoption as DailyAdoption } from '@sluice/contracts';
import { useState } from 'react';
import { query } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Name } from '../../../parts/name';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { Empty, FormErrorNote, QueryState } from '../../../parts/states';
import * as texts from '../../../texts/adoption';
import { platforms as names } from '../../../texts/shared';
import { DayFigures } from './day-figures';
import { Outcomes } from './outcomes';
import { lastDays, RangeField } from './range-field';
import { dayWords, sum, versionSeries } from './series';
import './adoption.css';

/** The versions that devices run, by day, with failures and rollbacks. */
export default function Adoption({ app }: { readonly app: App }) {
  const [range, setRange] = useState(() => lastDays(30));
  const adoption = useGet<DailyAdoption>(`/apps/${app.id}/adoption${query({ ...range })}`, ['adoption', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const versions = (adoption.data?.versions ?? []).map(({ version, active }) => ({ name: version, values: active }));
  const series = versionSeries(
    app.id,
    versions.flatMap(({ name, values }) => (name === null ? [] : { name, values })),
    versions.flatMap(({ name, values }) => (name === null ? { name: texts.others, values } : [])),
  );
  const isEmpty = sum(adoption.data?.total ?? []) === 0;
  return (
    <>
      <RangeField range={range} choose={setRange} error={adoption.error} />
      <Section title={texts.activeDevices}>
        <QueryState of={adoption} what={texts.loading} note={FormErrorNote} />
        {adoption.data !== undefined && isEmpty && (
          <Empty title={texts.noData}>
            <p>{texts.noDataHelp}</p>
          </Empty>
        )}
        {adoption.data !== undefined && !isEmpty && (
          <>
            <DayFigures
              title={texts.activeByDay}
              unit={texts.activeUnit}
              shares
              days={adoption.data.days}
              series={series}
              totals={adoption.data.total}
            />
            <Platforms adoption={adoption.data} />
          </>
        )}
      </Section>
      <Outcomes app={app} range={range} />
    </>
  );
}

const platformName = (platform: string): string => (names as Readonly<Record<string, string>>)[platform] ?? platform;

/** Of the last day on which a device was active; rows of an earlier release have none. */
function Platforms({
  adoption: { days, total, platforms, native_versions: natives },
}: {
  readonly adoption: DailyAdoption;
}) {
  const last = total.findLastIndex((count) => count > 0);
  const rows = [
    ...platforms.map(({ platform, active }) => [platformName(platform), active[last] ?? 0] as const),
    ...natives.map(({ version, active }) => [texts.nativeVersion(version), active[last] ?? 0] as const),
  ].filter(([, count]) => count > 0);
  if (rows.length === 0) return null;
  const title = texts.platformsOn(dayWords(days[last] ?? ''));
  return (
    <>
      <h3>{title}</h3>
      <Table
        label={title}
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          [rowHead(texts.platform), ([name]) => <Name>{name}</Name>],
          [numbers(texts.devices), ([, count]) => count.toLocaleString()],
        ]}
      />
    </>
  );
}
