import type { App, Build } from '@sluice/contracts';
import { Link } from 'wouter';
import { Button } from '../../../parts/button';
import { Badge, Time } from '../../../parts/values';
import { withdrawn } from '../../../texts/recall';
import * as texts from '../../../texts/releases';
import { build as nameOf } from '../../../texts/shared';
import { useJob } from '../../builds/data';
import { useBuildActions } from './build-dialogs';
import { BuildMenu, unpromotable } from './build-menu';
import { jobWords } from './job-life';
import { Origin } from './origin';
import { PlanLines } from './plan-section';
import { RecallLines } from './recall-section';
import { isRecalled, isReplacement, percentageOf } from './serving';
import { State } from './state';

interface BuildCardProps {
  readonly app: App;
  readonly build: Build;
  /** Which devices get it. */
  readonly reach?: string;
  readonly drag: (build: Build | undefined) => void;
}

/** A build in its channel. If it can be promoted, it can be dragged to another channel. */
export function BuildCard({ app, build, reach, drag }: BuildCardProps) {
  const canMove = unpromotable(build) === undefined && !isReplacement(build);
  const { version, status } = build;
  return (
    <article
      className="build"
      aria-label={nameOf(build)}
      draggable={canMove}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'copy';
        event.dataTransfer.setData('text/plain', nameOf(build));
        // Later, because Chromium ends the drag if the page changes during this event.
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
        {build.mandatory && !isReplacement(build) && <Badge tone="dim">{texts.mandatory}</Badge>}
        <BuildMenu build={build} />
      </header>
      {reach !== undefined && <Reach build={build} words={reach} />}
      <PlanLines app={app} build={build} />
      {isRecalled(build) || (isReplacement(build) && status === 'active') ? (
        <RecallLines app={app} build={build} />
      ) : (
        status === 'paused' && <p>{isReplacement(build) ? withdrawn : texts.notServed}</p>
      )}
      {build.job_id !== null && unpromotable(build) !== undefined && <JobLine app={app} id={build.job_id} />}
      <p className="dim">
        {texts.number(build.id)} · <Time at={build.created_at} />
        <Origin metadata={build.metadata} />
      </p>
    </article>
  );
}

function Reach({ build, words }: { readonly build: Build; readonly words: string }) {
  const start = useBuildActions();
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
            <Button onClick={() => start({ kind: 'rollout', build })}>{texts.changeRollout}</Button>
            {isHalted ? (
              <Button onClick={() => start({ kind: 'resume', build })}>{texts.resumeRollout}</Button>
            ) : (
              percentage > 0 && <Button onClick={() => start({ kind: 'halt', build })}>{texts.haltRollout}</Button>
            )}
          </div>
        </>
      )}
    </>
  );
}

/** The progress of its job, or why it failed. */
function JobLine({ app, id }: { readonly app: App; readonly id: string }) {
  const job = useJob(app, id);
  if (job.data === undefined) return null;
  return <p className={job.data.status === 'failed' ? 'fault' : 'dim'}>{jobWords(job.data)}</p>;
}
