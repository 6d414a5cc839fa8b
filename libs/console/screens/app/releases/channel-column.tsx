import type { App, Build, Channel } from '@sluice/contracts';
import { Link } from 'wouter';
import { Button } from '../../../parts/button';
import { ErrorNote, Loading } from '../../../parts/states';
import { BuildCard } from './build-card';
import { useAsk } from './build-dialogs';
import { servedIn, useBuilds } from '../../builds/data';
import { percentageOf, reachWords, servingOf } from './serving';
import { useDrop } from './use-drop';

/** Of the refused builds, so many as may still be of interest. */
const SHOWN_FAILURES = 2;

interface ChannelColumnProps {
  readonly app: App;
  readonly channel: Channel;
  readonly name: string;
  /** Its newest builds of any status, and its paused ones; what devices get is shown before they are there. */
  readonly latest: readonly Build[] | undefined;
  readonly paused: readonly Build[] | undefined;
  readonly dragged: Build | undefined;
  readonly drag: (build: Build | undefined) => void;
}

export function ChannelColumn({
  app,
  channel,
  name,
  latest: known,
  paused: stopped,
  dragged,
  drag,
}: ChannelColumnProps) {
  const ask = useAsk();
  const active = useBuilds(app, servedIn(channel));
  const [latest, paused] = [known ?? [], stopped ?? []];
  const { state, handlers } = useDrop(channel, dragged, {
    file: (file) => ask({ kind: 'upload', channel, file }),
    build: (build) => ask({ kind: 'promote', build, target: channel }),
  });
  if (active.isError) return <ErrorNote error={active.error} again={() => void active.refetch()} />;
  const { served, complete } = servingOf(active.data?.data ?? []);
  const behind = (active.data?.meta.total ?? 0) - served.length;
  const isNew = (build: Build): boolean => served[0] === undefined || build.id > served[0].id;
  const coming = latest.filter(({ status }) => status === 'processing' || status === 'uploading');
  const failures = latest.filter((build) => build.status === 'failed' && isNew(build)).slice(0, SHOWN_FAILURES);
  const card = { app, drag };
  const cards = (builds: readonly Build[]) =>
    builds.map((build) => <BuildCard key={build.id} {...card} build={build} />);
  return (
    <section className={`card channel ${state}`} aria-label={name} {...handlers}>
      <header className="head">
        <h2>{name}</h2>
        <Button onClick={() => ask({ kind: 'upload', channel })} aria-label={`Upload a build to ${channel}`}>
          Upload
        </Button>
      </header>
      {state !== '' && <p className="drop-words">{dropWords(state, channel, dragged)}</p>}
      {cards(coming)}
      {active.isPending && <Loading what="what devices get" />}
      {active.isSuccess && served.length === 0 && known !== undefined && stopped !== undefined && (
        <Nothing channel={channel} isComing={coming.length > 0} hasPaused={paused.length > 0} />
      )}
      {served.map((build, index) => (
        <BuildCard key={build.id} {...card} build={build} reach={reachWords(build, served.slice(0, index))} />
      ))}
      {served.length > 0 && !complete && (
        <p className="dim">
          {served.some((build) => percentageOf(build) > 0) ? 'All other devices' : 'Devices'} keep what they have.
        </p>
      )}
      {cards([...paused, ...failures])}
      <footer className="dim">
        {behind > 0 && (
          <p>
            {behind === 1 ? '1 older build is' : `${behind.toLocaleString()} older builds are`} active behind{' '}
            {served.length === 1 ? 'it' : 'them'}.
          </p>
        )}
        <Link to={`/apps/${app.id}/builds?channel=${channel}`}>All builds of {channel}</Link>
      </footer>
    </section>
  );
}

interface NothingProps {
  readonly channel: Channel;
  readonly isComing: boolean;
  readonly hasPaused: boolean;
}

function Nothing({ channel, isComing, hasPaused }: NothingProps) {
  const next = isComing
    ? 'Its first build is being checked: devices get it when it is ready.'
    : hasPaused
      ? 'Activate a paused build, or upload a newer one.'
      : channel === 'production'
        ? 'Drop a zip here, press Upload, or promote a build that you have tried in staging.'
        : 'Drop a zip here or press Upload. Devices that ask for this channel get it.';
  return (
    <div className="empty small">
      <h3>{hasPaused ? 'Devices get nothing now' : 'No build yet'}</h3>
      <p>{next}</p>
    </div>
  );
}

function dropWords(state: 'over' | 'ready' | 'refused', channel: Channel, dragged: Build | undefined): string {
  if (dragged === undefined) return `Drop the zip to upload it to ${channel}`;
  if (state === 'refused') return `${dragged.version} is in ${channel} already`;
  return `Drop ${dragged.version} to promote it to ${channel}`;
}
