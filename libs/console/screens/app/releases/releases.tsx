import type { App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { ErrorNote } from '../../../parts/states';
import * as texts from '../../../texts/releases';
import { BuildsAhead, CHANNELS, OpenPlansAhead, servedIn, useBuilds, type BuildFilter } from '../../builds/data';
import { BuildDialogs } from './build-dialogs';
import { ChannelColumn } from './channel-column';
import { FirstSteps } from './first-steps';
import './releases.css';

/** An app with fewer builds is new. */
const FEW = 4;

const LATEST: BuildFilter = {};
const PAUSED: BuildFilter = { status: 'paused' };

/** Loads the builds and plans of an app while the app itself is loading. */
export function ReleasesAhead({ app }: { readonly app: number }) {
  const filters = [...CHANNELS.map(([channel]) => servedIn(channel)), LATEST, PAUSED];
  return (
    <>
      <OpenPlansAhead app={app} />
      {filters.map((filter) => (
        <BuildsAhead key={JSON.stringify(filter)} app={app} filter={filter} />
      ))}
    </>
  );
}

/** The channels of an app side by side, with the builds that devices get. */
export function Releases({ app }: { readonly app: App }) {
  const [dragged, setDragged] = useState<Build>();
  const latest = useBuilds(app, LATEST);
  const paused = useBuilds(app, PAUSED);
  const failed = latest.error ?? paused.error;
  return (
    <BuildDialogs app={app}>
      {failed !== null && (
        <ErrorNote
          error={failed}
          retry={() => {
            void latest.refetch();
            void paused.refetch();
          }}
        />
      )}
      {latest.data !== undefined && latest.data.meta.total < FEW && <FirstSteps app={app} builds={latest.data.data} />}
      <p className="dim by-mouse">{texts.dropHelp}</p>
      <div className="channels">
        {CHANNELS.map(([channel, name]) => (
          <ChannelColumn
            key={channel}
            app={app}
            channel={channel}
            name={name}
            latest={latest.data?.data.filter((build) => build.channel === channel)}
            paused={paused.data?.data.filter((build) => build.channel === channel)}
            dragged={dragged}
            drag={setDragged}
          />
        ))}
      </div>
    </BuildDialogs>
  );
}
