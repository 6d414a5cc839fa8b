import type { App, Job } from '@sluice/contracts';
import { QueryState } from '../../../parts/states';
import { Time } from '../../../parts/values';
import { useJob } from '../../builds/data';

/** How the check of a bundle is getting on, up to its end and what to do then. */
export function JobLife({ app, id, version }: { readonly app: App; readonly id: string; readonly version: string }) {
  const job = useJob(app, id);
  if (!job.isSuccess) return <QueryState of={job} what="the job" />;
  const { status, attempts, error } = job.data;
  return (
    <div className="job">
      <ol className="steps">
        <li className="done">
          <strong>Received</strong> <Time at={job.data.queued_at} />
        </li>
        <li className={status === 'pending' ? 'now' : 'done'} aria-current={status === 'pending' ? 'step' : undefined}>
          <strong>Queued</strong> {status === 'pending' && waitingWords(job.data)}
        </li>
        {status === 'failed' ? (
          <li className="failed">
            <strong>Failed the check</strong> {attempts > 1 && `in ${attempts} attempts, the last `}
            <Time at={job.data.finished_at} />
          </li>
        ) : (
          <>
            <li
              className={status === 'processing' ? 'now' : status === 'pending' ? 'later' : 'done'}
              aria-current={status === 'processing' ? 'step' : undefined}
            >
              <strong>Checked</strong> {status === 'processing' && `attempt ${attempts} …`}
              {status === 'completed' && attempts > 1 && `in ${attempts} attempts`}
            </li>
            <li className={status === 'completed' ? 'done' : 'later'}>
              <strong>Ready</strong> {job.data.finished_at !== null && <Time at={job.data.finished_at} />}
            </li>
          </>
        )}
      </ol>
      <p className="visually-hidden" role="status">
        {jobWords(job.data)}
      </p>
      {status === 'failed' && (
        <div className="note danger">
          <p>
            <strong>{error ?? 'The bundle could not be checked.'}</strong>
          </p>
          <p>
            No device was given it, and {version} is free again. Fix the bundle, then upload it once more, under the
            same version if you like.
          </p>
        </div>
      )}
    </div>
  );
}

function waitingWords({ attempts }: Job): string {
  return attempts === 0 ? 'for a worker …' : `again: attempt ${attempts} did not succeed …`;
}

/** In a few words. */
export function jobWords({ status, attempts, error }: Job): string {
  switch (status) {
    case 'pending':
      return attempts === 0 ? 'Waiting for a worker' : `Attempt ${attempts} did not succeed; it is tried again`;
    case 'processing':
      return `Being checked, attempt ${attempts}`;
    case 'completed':
      return 'Ready';
    case 'failed':
      return error ?? 'Failed';
  }
}
