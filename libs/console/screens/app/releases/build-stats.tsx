import type { App, Build, BuildStats } from '@sluice/contracts';
import { ApiError } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Button } from '../../../parts/button';
import { Facts, numbers, Section, Table } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';
import * as texts from '../../../texts/builds';
import * as shared from '../../../texts/shared';
import { useBuildActions } from './build-dialogs';
import { isRecalled } from './serving';

/** The results that devices reported of a build. */
export function BuildStatsSection({ app, build }: { readonly app: App; readonly build: Build }) {
  const stats = useGet<BuildStats>(`/apps/${app.id}/builds/${build.id}/stats`, ['stats', app.id], {
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
      {stats.data !== undefined && <Outcomes stats={stats.data} build={build} />}
    </Section>
  );
}

function Outcomes({ stats, build }: { readonly stats: BuildStats; readonly build: Build }) {
  const { totals, errors, rolled_back_devices: rolledBack } = stats;
  const start = useBuildActions();
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
      {rolledBack > 0 && (
        <p>
          {texts.rolledBack(rolledBack)}{' '}
          {!isRecalled(build) && <Button onClick={() => start({ kind: 'retry', build })}>{texts.retry}</Button>}
        </p>
      )}
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
