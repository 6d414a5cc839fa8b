import type { App, AppChannel, Build, Channel } from '@sluice/contracts';
import { Link } from 'wouter';
import { Button } from '../../../parts/button';
import { Actions, type MenuEntry } from '../../../parts/menu';
import { Name } from '../../../parts/name';
import { ErrorNote, Loading } from '../../../parts/states';
import { showToast } from '../../../parts/toasts';
import { inForceBelow } from '../../../texts/recall';
import { audienceOf, ofChannel } from '../../../texts/audience';
import * as channelTexts from '../../../texts/channels';
import * as texts from '../../../texts/releases';
import { servedIn, useBuilds } from '../../builds/data';
import { compareVersions } from '../../builds/versions';
import { useChannelPins } from './audience';
import { BuildCard } from './build-card';
import { useBuildActions } from './build-dialogs';
import type { ChannelRequest } from './channel-dialogs';
import type { Column } from './columns';
import { isRecalled, isReplacement, percentageOf, servingOf } from './serving';
import { ChannelHealth } from './health';
import { useDrop } from './use-drop';

/** How many of the failed builds are shown at most. */
const SHOWN_FAILURES = 2;

interface ChannelColumnProps {
  readonly app: App;
  readonly column: Column;
  /** Undefined while it is loading. */
  readonly of: AppChannel | undefined;
  readonly show: (request: ChannelRequest) => void;
  /** Its newest builds of any status, and its paused ones. The active ones are shown before these are loaded. */
  readonly latest: readonly Build[] | undefined;
  readonly paused: readonly Build[] | undefined;
  readonly dragged: Build | undefined;
  readonly drag: (build: Build | undefined) => void;
}

/** A collapsed one shows its name only, and loads nothing. */
export function ChannelColumn(props: ChannelColumnProps) {
  const { channel, isCollapsed, collapse } = props.column;
  if (!isCollapsed) return <OpenColumn {...props} channel={channel} />;
  return (
    <section className="card channel collapsed" aria-label={channel}>
      <header className="head">
        <h2>
          <Name>{channel}</Name>
        </h2>
        <Button aria-label={channelTexts.expandChannel(channel)} onClick={() => collapse(false)}>
          {channelTexts.expand}
        </Button>
        <ChannelMenu {...props} />
      </header>
    </section>
  );
}

/** Where the column is, and what is done with its channel. */
function ChannelMenu({ column, of: channel, show }: ChannelColumnProps) {
  const { before, after, moveTo, moveBack, isCollapsed, collapse } = column;
  const move = (other: Channel): void => {
    moveTo(other);
    showToast(channelTexts.moved(column.channel), () => {
      moveBack();
      return Promise.resolve();
    });
  };
  const entries: MenuEntry[] = [];
  if (before !== undefined) {
    entries.push({ name: channelTexts.moveBefore(before), act: () => move(before) });
  }
  if (after !== undefined) {
    entries.push({ name: channelTexts.moveAfter(after), act: () => move(after) });
  }
  if (!isCollapsed) entries.push({ name: channelTexts.collapse, act: () => collapse(true) });
  if (channel !== undefined) {
    entries.push({ name: channelTexts.change, act: () => show({ kind: 'change', channel }) });
    if (!channel.standard) {
      entries.push({ name: channelTexts.remove, act: () => show({ kind: 'remove', channel }), danger: true });
    }
  }
  return <Actions label={channelTexts.actionsFor(column.channel)} entries={entries} />;
}

interface OpenColumnProps extends ChannelColumnProps {
  readonly channel: Channel;
}

function OpenColumn(props: OpenColumnProps) {
  const { app, of, channel, latest: known, paused: stopped, dragged, drag } = props;
  const start = useBuildActions();
  const active = useBuilds(app, servedIn(channel));
  const [latest, paused] = [known ?? [], stopped ?? []];
  const { state, handlers } = useDrop(channel, dragged, {
    file: (file) => start({ kind: 'upload', channel, file }),
    build: (build) => start({ kind: 'promote', build, target: channel }),
  });
  if (active.isError) return <ErrorNote error={active.error} retry={() => void active.refetch()} />;
  const replacements = (active.data?.data ?? []).filter(isReplacement);
  const { served, complete } = servingOf(active.data?.data ?? []);
  const lowest = complete ? served.at(-1) : undefined;
  /** Every device of its version gets a newer build. */
  const isOver = (build: Build): boolean =>
    (isRecalled(build) || isReplacement(build)) &&
    lowest !== undefined &&
    compareVersions(lowest.version, build.version) > 0;
  const ofRecalls = [...paused.filter(isRecalled), ...replacements, ...paused.filter((build) => !isRecalled(build))];
  const over = ofRecalls.filter((build) => isOver(build) && isRecalled(build)).length;
  const behind = (active.data?.meta.total ?? 0) - served.length - replacements.length;
  const isNew = (build: Build): boolean => served[0] === undefined || build.id > served[0].id;
  const coming = latest.filter(({ status }) => status === 'processing' || status === 'uploading');
  const failures = latest.filter((build) => build.status === 'failed' && isNew(build)).slice(0, SHOWN_FAILURES);
  const card = { app, drag };
  const cards = (builds: readonly Build[]) =>
    builds.map((build) => <BuildCard key={build.id} {...card} build={build} />);
  return (
    <section className={`card channel ${state}`} aria-label={channel} {...handlers}>
      <header className="head">
        <h2>
          <Name>{channel}</Name>
        </h2>
        <Button onClick={() => start({ kind: 'upload', channel })} aria-label={texts.uploadTo(channel)}>
          {texts.upload}
        </Button>
        <ChannelMenu {...props} />
      </header>
      <ChannelHealth app={app} channel={channel} />
      {of !== undefined && of.audience !== null && <OfChannel app={app} channel={of} />}
      <Aliases app={app} channel={channel} />
      {state !== '' && <p className="drop-words">{dropWords(state, channel, dragged)}</p>}
      {cards(coming)}
      {active.isPending && <Loading what={texts.loadingActive} />}
      {active.isSuccess && served.length === 0 && known !== undefined && stopped !== undefined && (
        <EmptyChannel channel={channel} isComing={coming.length > 0} hasPaused={paused.length > 0} />
      )}
      {served.map((build, index) => (
        <BuildCard key={build.id} {...card} build={build} newer={served.slice(0, index)} />
      ))}
      {served.length > 0 && !complete && (
        <p className="dim">{served.some((build) => percentageOf(build) > 0) ? texts.othersKeep : texts.allKeep}</p>
      )}
      {cards([...ofRecalls.filter((build) => !isOver(build)), ...failures])}
      <footer className="dim">
        {behind > 0 && lowest !== undefined && <p>{texts.olderBuilds(behind, lowest.version)}</p>}
        {over > 0 && <p>{inForceBelow(over)}</p>}
        <Link to={`/apps/${app.id}/builds?channel=${channel}`}>{texts.allBuilds(channel)}</Link>
      </footer>
    </section>
  );
}

/** Which devices get its builds. */
function OfChannel({ app, channel }: { readonly app: App; readonly channel: AppChannel }) {
  const pins = useChannelPins(app, channel);
  return <p className="reach">{ofChannel(audienceOf(channel), pins)}</p>;
}

/** Other names that update clients have for it. */
function Aliases({ app, channel }: { readonly app: App; readonly channel: Channel }) {
  // A server of an earlier release does not return them.
  const all = Object.entries((app as Partial<App>).channel_aliases ?? {});
  const names = all.flatMap(([alias, of]) => (of === channel ? [alias] : []));
  return names.length === 0 ? null : <p className="dim">{channelTexts.aliases(names)}</p>;
}

interface EmptyChannelProps {
  readonly channel: Channel;
  readonly isComing: boolean;
  readonly hasPaused: boolean;
}

function EmptyChannel({ channel, isComing, hasPaused }: EmptyChannelProps) {
  const next = isComing
    ? texts.firstChecked
    : hasPaused
      ? texts.resumeOrUpload
      : channel === 'production'
        ? texts.firstInProduction
        : texts.firstElsewhere;
  return (
    <div className="empty small">
      <h3>{hasPaused ? texts.noneServed : texts.noBuild}</h3>
      <p>{next}</p>
    </div>
  );
}

function dropWords(state: 'over' | 'ready' | 'rejected', channel: Channel, dragged: Build | undefined): string {
  if (dragged === undefined) return texts.dropZip(channel);
  return state === 'rejected'
    ? texts.alreadyThere(dragged.version, channel)
    : texts.dropBuild(dragged.version, channel);
}
