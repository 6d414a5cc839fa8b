import type { Settings } from '@sluice/config';
import { type Caller, fileIndexKey, signDigest } from '@sluice/contracts';
import { holdLease, type ReadStore } from '@sluice/document-store';
import type { CommandHandling } from '@sluice/event-store';
import {
  DomainError,
  LostLeaseError,
  newCommandId,
  newUlid,
  unlessUnavailable,
  type Clock,
  type Logger,
} from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import type { ObjectStore } from '@sluice/object-store';
import { PeriodicTask } from '@sluice/service-host';
import { buildRows, buildsProjection } from '../builds/builds.projection';
import type { PlanSetter } from '../builds/plan-setter';
import { channelDecider, channelStream, type ChannelBuild, type ChannelCommand } from '../builds/domain/channel';
import { BundleFault } from '../inspection/bundle-fault';
import { checkBundle, checkEncrypted, sweepAbandonedCopies } from '../inspection/check-bundle';
import { jobDecider, jobStream, MAX_ATTEMPTS, outcomeOf, type JobCommand, type JobState } from './domain/job';
import { DueJobs, type DueJob } from './due-jobs';

const CONCURRENCY = 2;
const MAX_POLL_MS = 500;

/** Unpacked, a bundle may have this many times the bytes that an upload may have. */
const EXPANSION_LIMIT = 10;

export interface JobWorkerOptions {
  readonly commands: CommandHandling;
  readonly readStore: ReadStore;
  readonly objects: ObjectStore;
  /** To the keys service, which signs bundles. */
  readonly messaging: Pick<Messaging, 'request'>;
  /** Sets the plan that a build was uploaded with. */
  readonly plans: Pick<PlanSetter, 'begin'>;
  readonly clock: Clock;
  readonly settings: Pick<
    Settings,
    'jobLeaseMs' | 'jobRetryDelaysMs' | 'jobContentRetryDelaysMs' | 'maxBundleBytes' | 'stopGraceMs'
  >;
  readonly logger: Logger;
}

interface Signed {
  /** Base64; null: the server made none. */
  readonly signature: string | null;
}

interface Failed {
  readonly error: string;
}

/**
 * Claims jobs, two at a time, checks their bundles and closes them: the outcome goes to the channel
 * first, then the bytes of a failed build go, then the job is closed. A worker that is killed
 * anywhere between leaves a job that another one takes up and brings to the same end.
 */
export class JobWorker extends PeriodicTask {
  private readonly inHand = new Map<string, Promise<void>>();
  private readonly due: DueJobs;
  private readonly released = new AbortController();

  constructor(private readonly options: JobWorkerOptions) {
    super({
      everyMs: () => Math.min(MAX_POLL_MS, this.due.untilNext()),
      firstAfterMs: 0,
      run: async () => {
        if (this.inHand.size >= CONCURRENCY) return;
        for (const job of await this.due.find()) this.take(job);
      },
      fault: 'The worker could not look for jobs.',
      logger: options.logger,
    });
    this.due = new DueJobs(options);
  }

  override start(): void {
    void sweepAbandonedCopies().catch((error: unknown) =>
      this.options.logger.error({ err: error }, 'Temporary copies of killed checks could not be removed.'),
    );
    super.start();
  }

  /** Takes a job that was queued just now, if a hand is free; the next poll finds it otherwise. */
  offer(jobId: string): void {
    this.take({ jobId, turn: 1, lost: false });
  }

  /**
   * Claims no further job, and waits for its present jobs for half of the time that the process has to
   * stop. Then it releases them, so that another worker can claim them immediately.
   */
  override async stop(): Promise<void> {
    await super.stop();
    const release = setTimeout(
      () => this.released.abort(new Error('The worker is stopping.')),
      this.options.settings.stopGraceMs / 2,
    );
    await Promise.all(this.inHand.values());
    clearTimeout(release);
  }

  private take({ jobId, turn, lost }: DueJob): void {
    if (this.signal.aborted || this.inHand.size >= CONCURRENCY || this.inHand.has(jobId)) return;
    const work = this.work(jobId, turn, lost)
      .catch((error: unknown) => {
        this.options.logger.error({ err: error }, `The worker had to leave job ${jobId}.`);
        return false;
      })
      .then((worked) => {
        this.inHand.delete(jobId);
        // The next job follows immediately; after one that could not be processed, the next poll finds it.
        if (worked) this.wake();
      });
    this.inHand.set(jobId, work);
  }

  /** Answers false when the job is someone else's, or closed. */
  private async work(jobId: string, turn: number, lost: boolean): Promise<boolean> {
    const holder = newUlid();
    const job = lost ? await this.loadLost(jobId) : await this.claim(jobId, holder, turn);
    if (!job) return false;
    if (job.lost === undefined) await this.checkAndClose(jobId, holder, job);
    else await this.close(jobId, job, { error: job.lost });
    return true;
  }

  private async checkAndClose(jobId: string, holder: string, job: JobState): Promise<void> {
    const lease = holdLease({
      leaseMs: this.options.settings.jobLeaseMs,
      clock: this.options.clock,
      renew: () => this.command(jobId, { type: 'RenewJob', holder }),
    });
    try {
      const signal = AbortSignal.any([lease.signal, this.released.signal]);
      const checked = await this.check(job, signal);
      if (lease.signal.aborted) return;
      if (!('error' in checked)) {
        await this.close(jobId, job, checked);
      } else if (this.released.signal.aborted) {
        await this.command(jobId, { type: 'ReleaseJob', holder });
      } else if (job.attempts >= MAX_ATTEMPTS) {
        await this.close(jobId, job, { error: checked.error });
      } else {
        const retryAfterMs = retryDelay(checked.delaysMs, job.attempts);
        // Waits until it is seen, so that the next poll knows when the job is due again.
        await this.command(jobId, { type: 'FailAttempt', holder, error: checked.error, retryAfterMs }, true);
      }
    } finally {
      await lease.stop();
    }
  }

  /** Undefined: someone else has it, or it is closed. */
  private async claim(jobId: string, holder: string, turn: number): Promise<JobState | undefined> {
    try {
      return await this.command(jobId, { type: 'ClaimJob', holder, turn });
    } catch (error) {
      if (error instanceof LostLeaseError || (error instanceof DomainError && error.code === 'JOB_NOT_FOUND'))
        return undefined;
      throw error;
    }
  }

  /** Answers the server's signature when the bundle is sound, null also when its build has left `processing` already. */
  private async check(
    job: JobState,
    signal: AbortSignal,
  ): Promise<Signed | (Failed & { readonly delaysMs: readonly number[] })> {
    const { settings, objects, logger } = this.options;
    const build = await this.buildOf(job);
    if (build?.status !== 'processing') return { signature: null };
    const { appId, buildId, objectKey, size, checksum } = build;
    try {
      const maxExpandedBytes = settings.maxBundleBytes * EXPANSION_LIMIT;
      if (build.delivery !== undefined) await checkEncrypted(objects, objectKey, { size, checksum }, signal);
      else await checkBundle(objects, objectKey, { size, checksum, maxExpandedBytes }, signal);
    } catch (error) {
      if (error instanceof BundleFault) return { error: error.message, delaysMs: settings.jobContentRetryDelaysMs };
      if (!signal.aborted) logger.error({ err: error }, `The bundle of build ${buildId} could not be checked.`);
      return {
        error: 'The stored bundle could not be read and checked. The worker’s log has the reason.',
        delaysMs: settings.jobRetryDelaysMs,
      };
    }
    if (build.signature !== null) return { signature: null };
    try {
      const { signature } = await this.options.messaging.request(signDigest, { appId, digest: checksum }, context());
      return { signature };
    } catch (error) {
      logger.error({ err: error }, `The bundle of build ${buildId} could not be signed.`);
      return {
        error: 'The bundle could not be signed. The worker’s log has the reason.',
        delaysMs: settings.jobRetryDelaysMs,
      };
    }
  }

  private async loadLost(jobId: string): Promise<JobState | undefined> {
    const { state } = await this.options.commands.load(jobDecider, jobStream(jobId));
    return state.lost !== undefined && state.status === 'processing' ? state : undefined;
  }

  /** Brings the build to its outcome, unless it has left `processing` meanwhile, and closes the job by it. */
  private async close(jobId: string, job: JobState, result: Signed | Failed): Promise<void> {
    const { subject } = job;
    if (!subject) return;
    const { appId, channel, buildId } = subject;
    const command: ChannelCommand =
      'error' in result ? { type: 'FailBuild', buildId, ...result } : { type: 'ActivateBuild', buildId, ...result };
    // Waits for the read models: a client that reads that the job is completed must find the new state of the build.
    const { state, events } = await this.options.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      command,
      context(),
    );
    // Before the job is completed: a client that reads this must find the plan.
    for (const event of events) await unlessUnavailable(this.options.plans.begin(event));
    const build = state.builds.get(buildId);
    const outcome = outcomeOf(build);
    if (!outcome) throw new Error(`Build ${buildId} is still processing after its outcome.`);
    if (outcome.status === 'failed' && build) await this.deleteObject(build);
    await this.command(jobId, { type: 'CloseJob', outcome });
  }

  /** A failed build's bytes are of no use, unless another build names them. The sweep deletes what stays. */
  private async deleteObject({ buildId, objectKey }: ChannelBuild): Promise<void> {
    const { readStore, objects, logger } = this.options;
    try {
      const rows = readStore.view(buildsProjection.name, buildRows);
      const naming = await rows.find({ where: { object_key: objectKey }, limit: 2 });
      if (!naming.every((row) => row.id === String(buildId))) return;
      for (const key of [fileIndexKey(objectKey), objectKey]) await objects.delete(key);
    } catch (error) {
      logger.error({ err: error }, `The bundle of the failed build ${buildId} could not be deleted.`);
    }
  }

  private async buildOf({ subject }: JobState): Promise<ChannelBuild | undefined> {
    if (!subject) return undefined;
    const { state } = await this.options.commands.load(channelDecider, channelStream(subject.appId, subject.channel));
    return state.builds.get(subject.buildId);
  }

  private async command(jobId: string, command: JobCommand, waitForReaders = false): Promise<JobState> {
    const { commands } = this.options;
    const { state } = await commands.handle(jobDecider, jobStream(jobId), command, context(), { waitForReaders });
    return state;
  }
}

function context(): Caller {
  return { commandId: newCommandId(), actor: 'system:worker' };
}

/** The delay, up to a quarter more or less: jobs that failed together do not return together. */
function retryDelay(delaysMs: readonly number[], attempt: number): number {
  const delay = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
  return Math.round(delay * (0.75 + Math.random() / 2));
}
