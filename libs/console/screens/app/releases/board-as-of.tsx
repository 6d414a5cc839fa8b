import { keepPreviousData } from '@tanstack/react-query';
import type { App, Build, BuildStats, Channel } from '@sluice/contracts';
import { useEffect, useId, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { PER_PAGE, query } from '../../../api/client';
import { useGet, useList } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Button } from '../../../parts/button';
import { Name } from '../../../parts/name';
import { QueryState } from '../../../parts/states';
import { Badge } from '../../../parts/values';
import { ofDay } from '../../../texts/release-health';
import * as texts from '../../../texts/releases';
import { build as nameOf } from '../../../texts/shared';
import { reachWords, servingOf } from './serving';
import { State } from './state';

/** The positions of the slider; a young app has one a minute. */
const MAX_STEPS = 500;
const MINUTE_MS = 60_000;
/** While the slider moves, nothing is loaded. */
const SETTLED_MS = 250;

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** The time in the address for which the board is shown; undefined: now. */
export function useAsOf() {
  const [search, setSearch] = useSearchParams();
  const time = Date.parse(search.get('asOf') ?? '');
  const show = (next: number | undefined): void =>
    setSearch(
      (before) => {
        const rest = new URLSearchParams(before);
        if (next === undefined) rest.delete('asOf');
        else rest.set('asOf', new Date(next).toISOString());
        return rest;
      },
      { replace: true },
    );
  // A time to come is now.
  return { asOf: Number.isNaN(time) || time >= Date.now() ? undefined : time, show };
}

interface TimeSliderProps extends ReturnType<typeof useAsOf> {
  readonly app: App;
}

/** Chooses the time for which the board is shown, from the app’s first event to now. */
export function TimeSlider({ app, asOf, show }: TimeSliderProps) {
  const id = useId();
  const [now] = useState(() => Date.now());
  const [moving, setMoving] = useState<number>();
  const first = Date.parse(app.created_at);
  const span = Math.max(now - first, 1);
  const steps = Math.min(MAX_STEPS, Math.max(1, Math.ceil(span / MINUTE_MS)));
  const place = moving ?? (asOf === undefined ? steps : Math.round((steps * (asOf - first)) / span));
  const timeAt = (step: number): number | undefined => (step >= steps ? undefined : first + (span * step) / steps);
  const time = moving === undefined ? asOf : timeAt(moving);
  useEffect(() => {
    if (moving === undefined) return undefined;
    const settled = setTimeout(() => {
      show(timeAt(moving));
      setMoving(undefined);
    }, SETTLED_MS);
    return () => clearTimeout(settled);
  });
  const words = time === undefined ? texts.now : absolute.format(time);
  return (
    <div className="time-slider">
      <label htmlFor={id}>{texts.boardAt}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={steps}
        value={Math.min(Math.max(place, 0), steps)}
        aria-valuetext={words}
        onChange={({ target }) => setMoving(Number(target.value))}
      />
      <output htmlFor={id}>{words}</output>
      {time !== undefined && (
        <Button
          onClick={() => {
            setMoving(undefined);
            show(undefined);
          }}
        >
          {texts.backToNow}
        </Button>
      )}
    </div>
  );
}

interface BoardAsOfProps {
  readonly app: App;
  readonly channels: readonly Channel[];
  readonly asOf: number;
}

/** The channels as they were. Nothing can be changed there. */
export function BoardAsOf({ app, channels, asOf }: BoardAsOfProps) {
  return (
    <>
      <p className="note info" role="status">
        {texts.boardAsOf(absolute.format(asOf))}
      </p>
      <div className="channels">
        {channels.map((channel) => (
          <ColumnAsOf key={channel} app={app} channel={channel} asOf={asOf} />
        ))}
      </div>
    </>
  );
}

function ColumnAsOf({ app, channel, asOf }: Omit<BoardAsOfProps, 'channels'> & { readonly channel: Channel }) {
  const filter = { as_of: new Date(asOf).toISOString(), channel, status: 'active', per_page: PER_PAGE };
  const builds = useList<Build>(`/apps/${app.id}/builds${query(filter)}`, ['builds', app.id], {
    placeholderData: keepPreviousData,
  });
  const { served } = servingOf(builds.data?.data ?? []);
  return (
    <section className="card channel" aria-label={channel} aria-busy={builds.isPlaceholderData}>
      <header className="head">
        <h2>
          <Name>{channel}</Name>
        </h2>
      </header>
      {!builds.isSuccess && <QueryState of={builds} what={texts.loadingActive} />}
      {builds.isSuccess && served.length === 0 && (
        <div className="empty small">
          <h3>{texts.noneServed}</h3>
        </div>
      )}
      {served.map((build, at) => (
        <article key={build.id} className="build" aria-label={nameOf(build)}>
          <header>
            <h3>
              <Link to={`/apps/${app.id}/builds/${build.id}`}>{build.version}</Link>
            </h3>
            <State of={build} />
            {build.mandatory && <Badge tone="dim">{texts.mandatory}</Badge>}
          </header>
          <p className="reach">{reachWords(build, served.slice(0, at), 0)}</p>
          <ReportsOfDay app={app} build={build} asOf={asOf} />
          <p className="dim">{texts.number(build.id)}</p>
        </article>
      ))}
    </section>
  );
}

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

interface ReportsOfDayProps {
  readonly app: App;
  readonly build: Build;
  readonly asOf: number;
}

/** What devices reported of a build on that day. How it was judged then is not stored. */
function ReportsOfDay({ app, build, asOf }: ReportsOfDayProps) {
  const day = dayOf(asOf);
  const path = `/apps/${app.id}/builds/${build.id}/stats${query({ from: day, to: day })}`;
  const stats = useGet<BuildStats>(path, ['stats', app.id], {
    refetchInterval: day === dayOf(Date.now()) ? REPORTS_REFRESH_MS : false,
  });
  const counted = stats.data?.days[0];
  if (counted === undefined) return null;
  const { installs, install_failures: failures, rollbacks } = counted;
  return <p className="dim">{ofDay(days.format(asOf), installs, failures, rollbacks)}</p>;
}
