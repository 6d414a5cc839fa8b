import type { App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { Button } from '../../../parts/button';
import { useDialog } from '../../../parts/send';
import { ErrorNote } from '../../../parts/states';
import { useWanted } from '../../../parts/wanted';
import * as channelTexts from '../../../texts/channels';
import * as texts from '../../../texts/releases';
import {
  BuildsAhead,
  CHANNELS,
  ReleasesDataAhead,
  servedIn,
  useBuilds,
  useChannels,
  type BuildFilter,
} from '../../builds/data';
import { BoardAsOf, TimeSlider, useAsOf } from './board-as-of';
import { BuildDialogs, useBuildActions } from './build-dialogs';
import { ChannelColumn } from './channel-column';
import { ChannelDialogs, type ChannelRequest } from './channel-dialogs';
import { useColumns } from './columns';
import { FirstSteps } from './first-steps';
import { Previews } from './previews';
import './releases.css';

/** An app with fewer builds is new. */
const FEW = 4;

const LATEST: BuildFilter = {};
const PAUSED: BuildFilter = { status: 'paused' };

/** Loads the builds, channels and plans of an app while the app itself is loading. */
export function ReleasesAhead({ app }: { readonly app: number }) {
  const filters = [...CHANNELS.map((channel) => servedIn(channel)), LATEST, PAUSED];
  return (
    <>
      <ReleasesDataAhead app={app} />
      {filters.map((filter) => (
        <BuildsAhead key={JSON.stringify(filter)} app={app} filter={filter} />
      ))}
    </>
  );
}

/** The channels of an app side by side, with the builds that devices get. */
export function Releases({ app }: { readonly app: App }) {
  const [dragged, setDragged] = useState<Build>();
  const { about: request, show, dialog } = useDialog<ChannelRequest>();
  const hasAdded = app.channels.length > CHANNELS.length;
  const channels = useChannels(app);
  const names = [...CHANNELS, ...channels.map(({ name }) => name)];
  const columns = useColumns(app, [...new Set(names)]);
  const latest = useBuilds(app, LATEST);
  const paused = useBuilds(app, PAUSED);
  const failed = latest.error ?? paused.error;
  const past = useAsOf();
  return (
    <BuildDialogs app={app}>
      <Wanted app={app} add={(expires) => show({ kind: 'add', expires })} />
      {failed !== null && (
        <ErrorNote
          error={failed}
          retry={() => {
            void latest.refetch();
            void paused.refetch();
          }}
        />
      )}
      {latest.data !== undefined && latest.data.meta.total > 0 && <TimeSlider app={app} {...past} />}
      {past.asOf === undefined ? (
        <>
          {latest.data !== undefined && latest.data.meta.total < FEW && (
            <FirstSteps app={app} builds={latest.data.data} />
          )}
          <div className="head">
            <p className="dim by-mouse">{texts.dropHelp}</p>
            <Button onClick={() => show({ kind: 'add' })}>{channelTexts.add}</Button>
          </div>
          <div className="channels">
            {columns.map((column) => (
              <ChannelColumn
                key={column.channel}
                app={app}
                column={column}
                of={channels.find(({ name }) => name === column.channel)}
                show={show}
                latest={latest.data?.data.filter((build) => build.channel === column.channel)}
                paused={paused.data?.data.filter((build) => build.channel === column.channel)}
                dragged={dragged}
                drag={setDragged}
              />
            ))}
          </div>
          {hasAdded && <Previews app={app} latest={latest.data?.data ?? []} show={show} />}
        </>
      ) : (
        <BoardAsOf
          app={app}
          channels={columns.flatMap(({ channel, isCollapsed }) => (isCollapsed ? [] : [channel]))}
          asOf={past.asOf}
        />
      )}
      <ChannelDialogs app={app} request={request} {...dialog} />
    </BuildDialogs>
  );
}

/** Opens the dialog that the address names. */
/** @param add adds a channel that expires after so many days */
function Wanted({ app, add }: { readonly app: App; readonly add: (expires: string) => void }) {
  const start = useBuildActions();
  useWanted(({ what, search }) => {
    const channel = app.channels.find((each) => each === search.get('channel')) ?? 'staging';
    if (what === 'upload') start({ kind: 'upload', channel });
    if (what === 'add-channel') add('');
    if (what === 'add-preview') add('7');
  });
  return null;
}
