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
import { HealthLines, StateAndHealth } from './health';
import { Origin } from './origin';
import { PlanLines } from './plan-section';
import { RecallButton, RecallLines } from './recall-section';
import { isRecalled, isReplacement, percentageOf, reachWords, targetOf } from './serving';
import { usePinned } from './audience';

interface BuildCardProps {
  readonly app: App;
  readonly build: Build;
  /** Of a build that devices get: the ones that some of its devices get instead. */
  readonly newer?: readonly Build[];
  readonly drag: (build: Build | undefined) => void;
}

/** A build in its channel. If it can be promoted, it can be dragged to another channel. */
export function BuildCard({ app, build, newer, drag }: BuildCardProps) {
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
        <StateAndHealth app={app} build={build} />
        {build.mandatory && !isReplacement(build) && <Badge tone="dim">{texts.mandatory}</Badge>}
        <BuildMenu build={build} />
      </header>
      <PlanLines app={app} build={build} />
      {newer !== undefined && <Reach app={app} build={build} newer={newer} />}
      {isRecalled(build) || (isReplacement(build) && status === 'active') ? (
        <>
          <RecallLines app={app} build={build} />
          {isRecalled(build) && <HealthLines app={app} build={build} />}
        </>
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

interface ReachProps extends Pick<BuildCardProps, 'app' | 'build'> {
  readonly newer: readonly Build[];
}

function Reach({ app, build, newer }: ReachProps) {
  const start = useBuildActions();
  const pins = usePinned(app, build);
  const percentage = build.rollout_percentage ?? 100;
  const isHalted = !build.rollout_enabled;
  return (
    <>
      <p className="reach">{reachWords(build, newer, pins)}</p>
      <HealthLines app={app} build={build} target={targetOf(build, newer)} />
      <div className="buttons">
        {percentageOf(build) < 100 && (
          <>
            <Button onClick={() => start({ kind: 'rollout', build })}>{texts.changeRollout}</Button>
            {isHalted ? (
              <Button onClick={() => start({ kind: 'resume', build })}>{texts.resumeRollout}</Button>
            ) : (
              percentage > 0 && <Button onClick={() => start({ kind: 'halt', build })}>{texts.haltRollout}</Button>
            )}
          </>
        )}
        <RecallButton app={app} build={build} />
      </div>
    </>
  );
}

/** The progress of its job, or why it failed. */
function JobLine({ app, id }: { readonly app: App; readonly id: string }) {
  const job = useJob(app, id);
  if (job.data === undefined) return null;
  return <p className={job.data.status === 'failed' ? 'fault' : 'dim'}>{jobWords(job.data)}</p>;
}
