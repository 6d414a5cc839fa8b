import type { App, Job } from '@sluice/contracts';
import { QueryState } from '../../../parts/states';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/builds';
import { useJob } from '../../builds/data';

/** The progress of the check of a bundle, and what to do if it fails. */
export function JobLife({ app, id, version }: { readonly app: App; readonly id: string; readonly version: string }) {
  const job = useJob(app, id);
  if (!job.isSuccess) return <QueryState of={job} what={texts.loadingJob} />;
  const { status, attempts, error } = job.data;
  return (
    <div className="job">
      <ol className="steps">
        <li className="done">
          <strong>{texts.received}</strong> <Time at={job.data.queued_at} />
        </li>
        <li className={status === 'pending' ? 'now' : 'done'} aria-current={status === 'pending' ? 'step' : undefined}>
          <strong>{texts.queued}</strong> {status === 'pending' && waitingWords(job.data)}
        </li>
        {status === 'failed' ? (
          <li className="failed">
            <strong>{texts.checkFailed}</strong> {attempts > 1 && texts.lastAttempt(attempts)}
            <Time at={job.data.finished_at} />
          </li>
        ) : (
          <>
            <li
              className={status === 'processing' ? 'now' : status === 'pending' ? 'later' : 'done'}
              aria-current={status === 'processing' ? 'step' : undefined}
            >
              <strong>{status === 'completed' ? texts.checked : texts.checking}</strong>{' '}
              {status === 'processing' && texts.running(attempts)}
              {status === 'completed' && attempts > 1 && texts.attempts(attempts)}
            </li>
            <li className={status === 'completed' ? 'done' : 'later'}>
              <strong>{texts.ready}</strong> {job.data.finished_at !== null && <Time at={job.data.finished_at} />}
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
            <strong>{error ?? texts.notChecked}</strong>
          </p>
          <p>{texts.afterFailure(version)}</p>
        </div>
      )}
    </div>
  );
}

function waitingWords({ attempts }: Job): string {
  return attempts === 0 ? texts.waitsForWorker : texts.waitsForRetry(attempts);
}

/** In a few words. */
export function jobWords({ status, attempts, error }: Job): string {
  switch (status) {
    case 'pending':
      return attempts === 0 ? texts.jobWaiting : texts.jobRetrying(attempts);
    case 'processing':
      return texts.jobRunning(attempts);
    case 'completed':
      return texts.ready;
    case 'failed':
      return error ?? texts.jobFailed;
  }
}
