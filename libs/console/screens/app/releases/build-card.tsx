import type { App, Build } from '@sluice/contracts';
import { Link } from 'wouter';
import { Button } from '../../../parts/button';
import { Badge, Time } from '../../../parts/values';
import { useAsk } from './build-dialogs';
import { BuildMenu, unpromotable } from './build-menu';
import { useJob } from '../../builds/data';
import { jobWords } from './job-life';
import { percentageOf } from './serving';
import { State } from './state';

interface BuildCardProps {
  readonly app: App;
  readonly build: Build;
  /** Which devices get it. */
  readonly reach?: string;
  readonly drag: (build: Build | undefined) => void;
}

/** A build in its channel; it can be dragged to another one when it may be promoted. */
export function BuildCard({ app, build, reach, drag }: BuildCardProps) {
  const canMove = unpromotable(build) === undefined;
  const { version, status, channel } = build;
  return (
    <article
      className="build"
      aria-label={`${version} in ${channel}`}
      draggable={canMove}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'copy';
        event.dataTransfer.setData('text/plain', `${version} (${channel})`);
        // In the same moment Chromium would end the drag, as the page moves under it.
        setTimeout(() => drag(build));
      }}
      onDragEnd={() => drag(undefined)}
    >
      <header>
        <h3>
          <Link to={`/apps/${app.id}/builds/${build.id}`} draggable={false}>
            {version}
          </Link>
        </h3>
        <State of={build} />
        {build.mandatory && <Badge tone="dim">mandatory</Badge>}
        <BuildMenu build={build} />
      </header>
      {reach !== undefined && <Reach build={build} words={reach} />}
      {status === 'paused' && <p>No device is given it.</p>}
      {build.job_id !== null && !canMove && <JobLine app={app} id={build.job_id} />}
      <p className="dim">
        #{build.id} · <Time at={build.created_at} />
      </p>
    </article>
  );
}

function Reach({ build, words }: { readonly build: Build; readonly words: string }) {
  const ask = useAsk();
  const percentage = build.rollout_percentage ?? 100;
  const isHalted = !build.rollout_enabled;
  return (
    <>
      <p className="reach">{words}</p>
      {percentageOf(build) < 100 && (
        <>
          <div className="bar-meter" aria-hidden="true">
            <div style={{ width: `${percentage}%` }} />
          </div>
          <div className="buttons">
            <Button onClick={() => ask({ kind: 'rollout', build })}>Rollout</Button>
            {isHalted ? (
              <Button onClick={() => ask({ kind: 'resume', build })}>Resume</Button>
            ) : (
              percentage > 0 && <Button onClick={() => ask({ kind: 'halt', build })}>Halt</Button>
            )}
          </div>
        </>
      )}
    </>
  );
}

/** What its job is at, or why it failed. */
function JobLine({ app, id }: { readonly app: App; readonly id: string }) {
  const job = useJob(app, id);
  if (job.data === undefined) return null;
  return <p className={job.data.status === 'failed' ? 'fault' : 'dim'}>{jobWords(job.data)}</p>;
}
