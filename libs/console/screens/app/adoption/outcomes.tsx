import { useQueries } from '@tanstack/react-query';
import type { App, Build, BuildStats, Channel } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { SelectField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { Empty, FormErrorNote, QueryState } from '../../../parts/states';
import * as texts from '../../../texts/adoption';
import * as shared from '../../../texts/shared';
import { channelsOf } from '../../builds/data';
import { BuildFigures } from './build-figures';
import { DayFigures } from './day-figures';
import type { DayRange } from './range-field';
import { sum, type Series } from './series';

/** The newest builds of a channel. */
const BUILDS = 8;

const PROBLEMS = [
  [shared.failedDownloads, 'download_failures', 'problem-1'],
  [shared.failedInstalls, 'install_failures', 'problem-2'],
  [shared.rollbacks, 'rollbacks', 'problem-3'],
] as const;

/** The results that devices reported of the newest builds of a channel. */
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
  const problems = PROBLEMS.map(([name, member, colour]): Series => ({
    name,
    colour,
    values: days.map((_, day) => sum(known.map((each) => each.days[day]?.[member] ?? 0))),
  }));
  const failed = builds.error ?? stats.find(({ error }) => error !== null)?.error ?? null;
  const isHealthy = problems.every(({ values }) => sum(values) === 0);
  return (
    <Section title={texts.failures}>
      <div className="range">
        <SelectField
          name="channel"
          label={texts.channel}
          value={channel}
          change={setChannel}
          options={channelsOf(app)}
        />
      </div>
      <QueryState of={{ ...builds, error: failed }} what={texts.loadingBuilds} note={FormErrorNote} />
      {builds.data?.data.length === 0 && (
        <Empty title={texts.noBuild(channel)}>
          <p>{texts.noBuildHelp}</p>
        </Empty>
      )}
      {known.length > 0 && isHealthy && <p>{texts.noFailures}</p>}
      {known.length > 0 && !isHealthy && (
        <DayFigures
          title={texts.failuresByDay}
          unit={texts.failuresUnit}
          shares={false}
          days={days}
          series={problems}
        />
      )}
      {known.length > 0 && <BuildFigures app={app} stats={known} builds={builds.data?.data ?? []} />}
    </Section>
  );
}
