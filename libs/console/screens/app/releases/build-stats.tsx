import type { App, BuildStats } from '@sluice/contracts';
import { ApiError } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Facts, numbers, Section, Table } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';
import * as texts from '../../../texts/builds';
import * as shared from '../../../texts/shared';

/** The results that devices reported of a build. */
export function BuildStatsSection({ app, id }: { readonly app: App; readonly id: number }) {
  const stats = useGet<BuildStats>(`/apps/${app.id}/builds/${id}/stats`, ['stats', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
  });
  return (
    <Section title={texts.results}>
      {stats.isPending && <Loading what={texts.loadingResults} />}
      {stats.isError &&
        (stats.error instanceof ApiError && stats.error.code === 'BUILD_NOT_FOUND' ? (
          <p className="dim">{texts.neverActive}</p>
        ) : (
          <ErrorNote error={stats.error} retry={() => void stats.refetch()} />
        ))}
      {stats.data !== undefined && <Outcomes stats={stats.data} />}
    </Section>
  );
}

function Outcomes({ stats: { totals, errors } }: { readonly stats: BuildStats }) {
  const number = (value: number): string => value.toLocaleString();
  return (
    <>
      <p className="dim">{texts.resultsHelp}</p>
      <Facts
        facts={{
          [shared.offered]: number(totals.offered),
          [shared.downloads]: number(totals.downloads),
          [shared.failedDownloads]: number(totals.download_failures),
          [shared.installs]: number(totals.installs),
          [shared.failedInstalls]: number(totals.install_failures),
          [shared.rollbacks]: number(totals.rollbacks),
        }}
      />
      {errors.length > 0 && (
        <Table
          label={texts.errorsLabel}
          rows={errors}
          keyOf={({ report, error }) => `${report} ${error}`}
          columns={[
            [texts.error, ({ error }) => error],
            [texts.during, ({ report }) => report],
            [numbers(texts.devices), ({ count }) => number(count)],
          ]}
        />
      )}
    </>
  );
}
