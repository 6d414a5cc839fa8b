import type { App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { ErrorNote, Loading } from '../../../parts/states';
import { BuildDialogs } from './build-dialogs';
import { ChannelColumn } from './channel-column';
import { CHANNELS, useBuilds } from './data';
import './releases.css';

/** The channels of an app side by side: what devices get, and how to give them something else. */
export function Releases({ app }: { readonly app: App }) {
  const [dragged, setDragged] = useState<Build>();
  const latest = useBuilds(app, {});
  const paused = useBuilds(app, { status: 'paused' });
  const failed = latest.error ?? paused.error;
  if (failed !== null) {
    return (
      <ErrorNote
        error={failed}
        again={() => {
          void latest.refetch();
          void paused.refetch();
        }}
      />
    );
  }
  if (latest.data === undefined || paused.data === undefined) return <Loading what="the channels" />;
  return (
    <BuildDialogs app={app}>
      <p className="dim">
        Drop a zip onto a channel to upload it. Drag a build to another channel to promote it; its menu does the same.
      </p>
      <div className="channels">
        {CHANNELS.map(([channel, name]) => (
          <ChannelColumn
            key={channel}
            app={app}
            channel={channel}
            name={name}
            latest={latest.data.data.filter((build) => build.channel === channel)}
            paused={paused.data.data.filter((build) => build.channel === channel)}
            dragged={dragged}
            drag={setDragged}
          />
        ))}
      </div>
    </BuildDialogs>
  );
}
