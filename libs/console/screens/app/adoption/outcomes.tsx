import { useQueries } from '@tanstack/react-query';
import type { App, Build, BuildStats, Channel } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { SelectField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { Empty, NoteBesideFields, QueryState } from '../../../parts/states';
import { CHANNEL_NAMES } from '../../builds/data';
import { DayFigures } from './day-figures';
import { BuildFigures } from './build-figures';
import type { DayRange } from './range-field';
import { sum, type Series } from './series';

/** Of a channel, the newest. */
const BUILDS = 8;

const TROUBLES = [
  ['Failed downloads', 'download_failures', 'trouble-1'],
  ['Failed installs', 'install_failures', 'trouble-2'],
  ['Rollbacks', 'rollbacks', 'trouble-3'],
] as const;

/** What became of the newest builds of a channel on devices. */
export function Outcomes({ app, range }: { readonly app: App; readonly range: DayRange }) {
  const [channel, setChannel] = useState<Channel>('production');
  const builds = useList<Build>(`/apps/${app.id}/builds${query({ channel, per_page: BUILDS })}`, ['builds', app.id]);
  const stats = useQueries({
    queries: (builds.data?.data ?? []).map(({ id }) => ({
      queryKey: ['stats', app.id, id, range],
      queryFn: () => api.get<BuildStats>(`/apps/${app.id}/builds/${id}/stats${query({ ...range })}`),
      refetchInterval: REPORTS_REFRESH_MS,
    })),
  });
  const known = stats.flatMap(({ data }) => data ?? []);
  const days = known[0]?.days.map(({ day }) => day) ?? [];
  const troubles = TROUBLES.map(([name, member, colour]): Series => ({
    name,
    colour,
    values: days.map((_, day) => sum(known.map((each) => each.days[day]?.[member] ?? 0))),
  }));
  const failed = builds.error ?? stats.find(({ error }) => error !== null)?.error ?? null;
  const isCalm = troubles.every(({ values }) => sum(values) === 0);
  return (
    <Section title="Failures and rollbacks">
      <div className="range">
        <SelectField name="channel" label="Channel" value={channel} change={setChannel} options={CHANNEL_NAMES} />
      </div>
      <QueryState of={{ ...builds, error: failed }} what="the builds" note={NoteBesideFields} />
      {builds.data?.data.length === 0 && (
        <Empty title={`No build in ${channel} yet`}>
          <p>Upload one, or promote one to this channel.</p>
        </Empty>
      )}
      {known.length > 0 && isCalm && <p>No failure and no rollback was reported on these days.</p>}
      {known.length > 0 && !isCalm && (
        <DayFigures
          title="Failures and rollbacks by day"
          unit={['problem', 'problems']}
          shares={false}
          days={days}
          series={troubles}
        />
      )}
      {known.length > 0 && <BuildFigures app={app} stats={known} />}
    </Section>
  );
}
