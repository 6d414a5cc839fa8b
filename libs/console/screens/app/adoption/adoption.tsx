import { keepPreviousData } from '@tanstack/react-query';
import type { Adoption as DailyAdoption, App } from '@sluice/contracts';
import { useSearchParams } from 'wouter';
import { query } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Button } from '../../../parts/button';
import { SelectField } from '../../../parts/form';
import { Name } from '../../../parts/name';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { saveAs } from '../../../parts/save-as';
import { Empty, FormErrorNote, QueryState } from '../../../parts/states';
import * as texts from '../../../texts/adoption';
import { platforms as names } from '../../../texts/shared';
import { channelsOf } from '../../builds/data';
import { DayFigures, type View } from './day-figures';
import { Outcomes } from './outcomes';
import { daysOf, periodOf, RangeField, type Period } from './range-field';
import { Releases } from './releases';
import { dayWords, sum, versionSeries } from './series';
import './adoption.css';

const VIEWS: readonly (readonly [View, string])[] = [
  ['devices', texts.byCount],
  ['shares', texts.byShare],
  ['table', texts.asTable],
];

/** The versions that devices run, by day, how quickly releases arrive, and how often builds fail. */
export default function Adoption({ app }: { readonly app: App }) {
  const [params, setParams] = useSearchParams();
  const period = periodOf(params);
  const range = daysOf(period);
  const view = VIEWS.find(([each]) => each === params.get('view'))?.[0] ?? 'devices';
  const channel = params.get('channel') ?? 'production';
  const set = (changed: Readonly<Record<string, string>>, ...removed: readonly string[]): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const name of removed) next.delete(name);
        for (const [name, value] of Object.entries(changed)) next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const choose = (next: Period): void =>
    typeof next === 'object' ? set({ ...next }, 'days') : set({ days: next }, 'from', 'to');
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
  const releases = (adoption.data?.releases ?? []).filter((release) => release.channel === channel);
  return (
    <>
      <div className="range">
        <RangeField period={period} choose={choose} error={adoption.error} />
        <SelectField
          name="view"
          label={texts.view}
          value={view}
          change={(next) => set({ view: next })}
          options={VIEWS}
        />
        <SelectField
          name="channel"
          label={texts.channel}
          value={channel}
          change={(next) => set({ channel: next })}
          options={channelsOf(app)}
        />
      </div>
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
              view={view}
              days={adoption.data.days}
              series={series}
              totals={adoption.data.total}
              releases={releases}
            />
            <div>
              <Button onClick={() => saveCsv(app, adoption.data)}>{texts.downloadCsv}</Button>
            </div>
            <Platforms adoption={adoption.data} />
          </>
        )}
      </Section>
      {adoption.data !== undefined && (
        <Releases app={app} channel={channel} adoption={adoption.data} releases={releases} />
      )}
      <Outcomes app={app} range={range} channel={channel} />
    </>
  );
}

/** Each day with every version that the server counts separately. */
function saveCsv(app: App, { days, total, versions }: DailyAdoption): void {
  const head = [texts.day, texts.devices, ...versions.map(({ version }) => version ?? texts.others)];
  const rows = days.map((day, index) => [day, total[index], ...versions.map(({ active }) => active[index])]);
  const text = [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
  saveAs(`${app.app_id}-${days[0] ?? ''}-${days.at(-1) ?? ''}.csv`, new Blob([text], { type: 'text/csv' }));
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
