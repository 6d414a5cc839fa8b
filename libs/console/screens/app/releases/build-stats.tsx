import type { App, BuildStats } from '@sluice/contracts';
import { ApiError } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Facts, numbers, Section, Table } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';

/** What became of a build on devices. */
export function BuildStatsSection({ app, id }: { readonly app: App; readonly id: number }) {
  const stats = useGet<BuildStats>(`/apps/${app.id}/builds/${id}/stats`, ['stats', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
  });
  return (
    <Section title="On devices">
      {stats.isPending && <Loading what="what devices report" />}
      {stats.isError &&
        (stats.error instanceof ApiError && stats.error.code === 'BUILD_NOT_FOUND' ? (
          <p className="dim">It was never active: no device was given it.</p>
        ) : (
          <ErrorNote error={stats.error} again={() => void stats.refetch()} />
        ))}
      {stats.data !== undefined && <Outcomes stats={stats.data} />}
    </Section>
  );
}

function Outcomes({ stats: { totals, errors } }: { readonly stats: BuildStats }) {
  const number = (value: number): string => value.toLocaleString();
  return (
    <>
      <Facts
        facts={{
          'Offered to devices, about': number(totals.offered),
          Downloads: number(totals.downloads),
          'Failed downloads': number(totals.download_failures),
          Installs: number(totals.installs),
          'Failed installs': number(totals.install_failures),
          Rollbacks: number(totals.rollbacks),
        }}
      />
      {errors.length > 0 && (
        <Table
          label="What went wrong, the most frequent first"
          rows={errors}
          keyOf={({ report, error }) => `${report} ${error}`}
          columns={[
            ['Errors that devices reported', ({ error }) => error],
            ['At', ({ report }) => report],
            [numbers('Devices'), ({ count }) => number(count)],
          ]}
        />
      )}
    </>
  );
}
