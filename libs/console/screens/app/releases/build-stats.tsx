import type { App, Build, BuildStats } from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Button } from '../../../parts/button';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/build-stats';
import { useBuildHealth } from '../../builds/data';
import { useBuildActions } from './build-dialogs';
import { Funnel, type FunnelProps } from './funnel';
import { isRecalled } from './serving';

/** What devices reported of a build: how far they got, and what went wrong. */
export function BuildStatsSections({ app, build }: { readonly app: App; readonly build: Build }) {
  const stats = useGet<BuildStats>(`/apps/${app.id}/builds/${build.id}/stats`, ['stats', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
  });
  const health = useBuildHealth(app, build.id);
  return (
    <>
      <Section title={texts.results}>
        {stats.isPending && <Loading what={texts.loading} />}
        {stats.isError &&
          (stats.error instanceof ApiError && stats.error.code === 'BUILD_NOT_FOUND' ? (
            <p className="dim">{texts.neverActive}</p>
          ) : (
            <ErrorNote error={stats.error} retry={() => void stats.refetch()} />
          ))}
        {stats.data !== undefined && (
          <>
            <p className="dim">{texts.resultsHelp}</p>
            <Funnel stats={stats.data} health={health} />
            <RolledBack build={build} devices={stats.data.rolled_back_devices} />
          </>
        )}
      </Section>
      {stats.data !== undefined && stats.data.errors.length > 0 && <Errors stats={stats.data} health={health} />}
    </>
  );
}

function RolledBack({ build, devices }: { readonly build: Build; readonly devices: number }) {
  const start = useBuildActions();
  if (devices === 0) return null;
  return (
    <p>
      {texts.rolledBack(devices)}{' '}
      {!isRecalled(build) && <Button onClick={() => start({ kind: 'retry', build })}>{texts.retry}</Button>}
    </p>
  );
}

function Errors({ stats: { errors, days }, health }: FunnelProps) {
  const inPeriod = (outcome: Exclude<keyof (typeof days)[number], 'day'>): number =>
    days.reduce((total, day) => total + day[outcome], 0);
  const reported = inPeriod('installs') + inPeriod('install_failures') + inPeriod('rollbacks');
  // A device that reported several of them tried it once.
  const installing = Math.min(reported, health?.attempts ?? reported);
  const tried = {
    download: inPeriod('downloads') + inPeriod('download_failures'),
    install: installing,
    rollback: installing,
  };
  const [search, setSearch] = useSearchParams();
  const phase = errors.find(({ report }) => report === search.get('errors'))?.report;
  const section = useRef<HTMLDivElement>(null);
  // The link is above them.
  useEffect(() => {
    if (phase !== undefined) section.current?.focus();
  }, [phase, search]);
  return (
    <div ref={section} tabIndex={-1}>
      <Section title={texts.errors}>
        <p className="dim">{texts.errorsHelp}</p>
        {phase !== undefined && (
          <p>
            {texts.errorsOf[phase]} <Button onClick={() => setSearch({}, { replace: true })}>{texts.showAll}</Button>
          </p>
        )}
        <Table
          stacks
          label={texts.errorsLabel}
          rows={errors.filter(({ report }) => phase === undefined || report === phase)}
          keyOf={({ report, error }) => `${report} ${error}`}
          columns={[
            [rowHead(texts.error, 'fault'), ({ error }) => error],
            [texts.during, ({ report }) => report],
            [numbers(texts.devices), ({ count }) => count.toLocaleString()],
            [numbers(texts.share), ({ report, count }) => texts.percentOf(count, tried[report])],
            [texts.first, ({ first_at: at }) => <Time at={at} none={texts.unknown} />],
            [texts.last, ({ last_at: at }) => <Time at={at} none={texts.unknown} />],
          ]}
        />
      </Section>
    </div>
  );
}
