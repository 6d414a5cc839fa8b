import { UnknownEventError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import type { ChannelBuild } from '../../builds/domain/channel';
import { jobDecider, jobStream, outcomeOf, type JobCommand, type JobEvent } from './job';

const subject = { appId: 7, channel: 'production', buildId: 1 } as const;
const queued: JobEvent = { type: 'JobQueued', data: subject };
const claimed = (attempt: number, holder = `w${attempt}`): JobEvent => ({
  type: 'JobClaimed',
  data: { holder, attempt },
});
const renewed = (holder: string): JobEvent => ({ type: 'JobRenewed', data: { holder } });
const attemptFailed = (attempt: number): JobEvent => ({
  type: 'JobAttemptFailed',
  data: { attempt, error: 'No zip.', retryAfterMs: 5 },
});
const completed: JobEvent = { type: 'JobCompleted', data: {} };

const { given } = specify(jobDecider);
const LOST = { name: 'LostLeaseError' };

const claim = (turn: number): JobCommand => ({ type: 'ClaimJob', holder: 'me', turn });
const failAttempt = (holder: string): JobCommand => ({
  type: 'FailAttempt',
  holder,
  error: 'No zip.',
  retryAfterMs: 5,
});

describe('queueing', () => {
  it('happens once', () => {
    given().when({ type: 'QueueJob', subject }).then(queued);
    given(queued).when({ type: 'QueueJob', subject }).then();
  });

  it('comes before everything else', () => given().when(claim(0)).rejects('JOB_NOT_FOUND'));
});

describe('claiming', () => {
  it('takes a pending job', () => given(queued).when(claim(1)).then(claimed(1, 'me')));

  it('counts attempts', () => given(queued, claimed(1), attemptFailed(1)).when(claim(3)).then(claimed(2, 'me')));

  it('takes a job whose holder did not renew since the claimer looked', () =>
    given(queued, claimed(1), renewed('w1')).when(claim(3)).then(claimed(2, 'me')));

  it('leaves a job to a holder that renewed meanwhile', () =>
    given(queued, claimed(1), renewed('w1')).when(claim(2)).rejects(LOST));

  it('leaves a job whose last attempt failed after the claimer looked: it may not be due', () =>
    given(queued, claimed(1), attemptFailed(1)).when(claim(1)).rejects(LOST));

  it('leaves a closed job', () => given(queued, claimed(1), completed).when(claim(3)).rejects(LOST));

  it('gives up a job that lost its worker four times', () => {
    const lostFourTimes = [queued, claimed(1), claimed(2), claimed(3), claimed(4)];
    given(...lostFourTimes)
      .when(claim(5))
      .then({ type: 'JobLost', data: { error: expect.stringContaining('4') as string } });
    given(...lostFourTimes, { type: 'JobLost', data: { error: 'Lost.' } })
      .when(claim(6))
      .rejects(LOST);
  });
});

describe('the holder', () => {
  it('renews, fails and releases', () => {
    given(queued, claimed(1)).when({ type: 'RenewJob', holder: 'w1' }).then(renewed('w1'));
    given(queued, claimed(1)).when(failAttempt('w1')).then(attemptFailed(1));
    given(queued, claimed(1))
      .when({ type: 'ReleaseJob', holder: 'w1' })
      .then({ type: 'JobReleased', data: { attempt: 1 } });
  });

  it('keeps the job by renewing it, and gives it up with a failed attempt', () => {
    const renew: JobCommand = { type: 'RenewJob', holder: 'w1' };
    given(queued, claimed(1), renewed('w1')).when(renew).then(renewed('w1'));
    given(queued, claimed(1), attemptFailed(1)).when(renew).rejects(LOST);
  });

  it('fails the job permanently with the fourth attempt', () =>
    given(queued, claimed(1), claimed(2), claimed(3), claimed(4))
      .when(failAttempt('w4'))
      .then({ type: 'JobFailed', data: { error: 'No zip.' } }));

  it.each([
    ['another claimed it', [claimed(2)]],
    ['the job was given up', [{ type: 'JobLost', data: { error: 'Lost.' } }]],
    ['the job is closed', [completed]],
  ] as [string, JobEvent[]][])('has lost the job when %s', (_, events) => {
    given(queued, claimed(1), ...events)
      .when({ type: 'RenewJob', holder: 'w1' })
      .rejects(LOST);
    given(queued, claimed(1), ...events)
      .when(failAttempt('w1'))
      .rejects(LOST);
    given(queued, claimed(1), ...events)
      .when({ type: 'ReleaseJob', holder: 'w1' })
      .rejects(LOST);
  });

  it('does not lose an attempt by releasing', () =>
    given(queued, claimed(1), { type: 'JobReleased', data: { attempt: 1 } })
      .when(claim(3))
      .then(claimed(1, 'me')));
});

describe('closing', () => {
  const close: JobCommand = { type: 'CloseJob', outcome: { status: 'completed' } };

  it('can be closed by any worker that saw the outcome', () =>
    given(queued, claimed(1), claimed(2)).when(close).then(completed));

  it('happens once', () =>
    given(queued, claimed(1), { type: 'JobFailed', data: { error: 'No zip.' } })
      .when(close)
      .then());

  it('fails a job whose build failed, with the reason', () =>
    given(queued, claimed(1))
      .when({ type: 'CloseJob', outcome: { status: 'failed', error: 'No zip.' } })
      .then({ type: 'JobFailed', data: { error: 'No zip.' } }));

  it('closes a job that was given up', () =>
    given(queued, claimed(1), { type: 'JobLost', data: { error: 'Lost.' } })
      .when(close)
      .then(completed));

  it('follows what became of the build', () => {
    const build = (changes: Partial<ChannelBuild>) =>
      ({ status: 'processing', wasActive: false, error: null, ...changes }) as ChannelBuild;
    const failed = (why: string) => ({ status: 'failed', error: expect.stringContaining(why) as string });
    expect(outcomeOf(build({}))).toBeUndefined();
    expect(outcomeOf(build({ status: 'active', wasActive: true }))).toEqual({ status: 'completed' });
    expect(outcomeOf(build({ status: 'archived', wasActive: true }))).toEqual({ status: 'completed' });
    expect(outcomeOf(build({ status: 'archived' }))).toEqual(failed('archived'));
    expect(outcomeOf(build({ status: 'failed' }))).toEqual(failed('failed'));
    expect(outcomeOf(build({ status: 'failed', error: 'No zip.' }))).toEqual({ status: 'failed', error: 'No zip.' });
    expect(outcomeOf(undefined)).toEqual(failed('deleted'));
  });
});

it.each<[string, JobEvent[]]>([
  ['pending', []],
  ['processing', [claimed(1)]],
  ['processing', [claimed(1), renewed('w1')]],
  ['pending', [claimed(1), attemptFailed(1)]],
  ['pending', [claimed(1), { type: 'JobReleased', data: { attempt: 1 } }]],
  ['completed', [claimed(1), completed]],
  ['failed', [claimed(1), { type: 'JobFailed', data: { error: 'No zip.' } }]],
])('is %s after %j', (status, events) => {
  expect(given(queued, ...events).state.status).toBe(status);
});

it('stops at an event of a newer release', () => {
  expect(() => given({ type: 'JobPainted', data: {} } as unknown as JobEvent)).toThrow(UnknownEventError);
});

it('keeps its events in the stream job-1', () => {
  expect(jobStream('1')).toBe('job-1');
});
