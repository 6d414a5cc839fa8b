import { keepPreviousData } from '@tanstack/react-query';
import type { App, Adoption as Figures } from '@sluice/contracts';
import { useState } from 'react';
import { query } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { Empty, NoteBesideFields, QueryState } from '../../../parts/states';
import { DayFigures } from './day-figures';
import { Outcomes } from './outcomes';
import { lastDays, RangeField } from './range-field';
import { dayWords, sum, versionSeries } from './series';
import './adoption.css';

/** Which versions devices run, day by day, and what went wrong on the way. */
export default function Adoption({ app }: { readonly app: App }) {
  const [range, setRange] = useState(() => lastDays(30));
  const adoption = useGet<Figures>(`/apps/${app.id}/adoption${query({ ...range })}`, ['adoption', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const versions = (adoption.data?.versions ?? []).map(({ version, active }) => ({ name: version, values: active }));
  const series = versionSeries(
    app.id,
    versions.flatMap(({ name, values }) => (name === null ? [] : { name, values })),
    versions.flatMap(({ name, values }) => (name === null ? { name: 'others', values } : [])),
  );
  const isEmpty = sum(adoption.data?.total ?? []) === 0;
  return (
    <>
      <Section title="Active devices by version">
        <RangeField range={range} choose={setRange} error={adoption.error} />
        <QueryState of={adoption} what="the figures" note={NoteBesideFields} />
        {adoption.data !== undefined && isEmpty && (
          <Empty title="No device has reported on these days">
            <p>Devices report once a day which version they run, with an API key of this app.</p>
          </Empty>
        )}
        {adoption.data !== undefined && !isEmpty && (
          <>
            <DayFigures
              title="Active devices by version and day"
              unit={['active device', 'active devices']}
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

/** Of the last day on which a device was active; rows of an earlier release have none. */
function Platforms({ adoption: { days, total, platforms, native_versions: natives } }: { readonly adoption: Figures }) {
  const last = total.findLastIndex((count) => count > 0);
  const rows = [
    ...platforms.map(({ platform, active }) => [`Platform ${platform}`, active[last] ?? 0] as const),
    ...natives.map(({ version, active }) => [`Native version ${version ?? '(others)'}`, active[last] ?? 0] as const),
  ].filter(([, count]) => count > 0);
  if (rows.length === 0) return null;
  return (
    <Table
      label="Platforms and native versions"
      rows={rows}
      keyOf={([name]) => name}
      columns={[
        [rowHead(`On ${dayWords(days[last] ?? '')} (UTC)`), ([name]) => name],
        [numbers('Devices'), ([, count]) => count.toLocaleString()],
      ]}
    />
  );
}
