import { useQueries } from '@tanstack/react-query';
import type { App, Build, BuildStats, Channel } from '@sluice/contracts';
import { api, query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Section } from '../../../parts/page';
import { Empty, FormErrorNote, QueryState } from '../../../parts/states';
import * as texts from '../../../texts/adoption';
import { BuildFigures } from './build-figures';
import type { DayRange } from './range-field';

/** The newest builds of a channel. */
const BUILDS = 8;

interface OutcomesProps {
  readonly app: App;
  readonly range: DayRange;
  readonly channel: Channel;
}

/** The results that devices reported of the newest builds of a channel. */
export function Outcomes({ app, range, channel }: OutcomesProps) {
  const builds = useList<Build>(`/apps/${app.id}/builds${query({ channel, per_page: BUILDS })}`, ['builds', app.id]);
  const stats = useQueries({
    queries: (builds.data?.data ?? []).map(({ id }) => ({
      queryKey: ['stats', app.id, id, range],
      queryFn: () => api.get<BuildStats>(`/apps/${app.id}/builds/${id}/stats${query({ ...range })}`),
      refetchInterval: REPORTS_REFRESH_MS,
    })),
  });
  const known = stats.flatMap(({ data }) => data ?? []);
  const failed = builds.error ?? stats.find(({ error }) => error !== null)?.error ?? null;
  return (
    <Section title={texts.failures}>
      <QueryState of={{ ...builds, error: failed }} what={texts.loadingBuilds} note={FormErrorNote} />
      {builds.data?.data.length === 0 && (
        <Empty title={texts.noBuild(channel)}>
          <p>{texts.noBuildHelp}</p>
        </Empty>
      )}
      {known.length > 0 && <BuildFigures app={app} stats={known} builds={builds.data?.data ?? []} />}
    </Section>
  );
}
