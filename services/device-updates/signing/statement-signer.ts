import { createHash } from 'node:crypto';
import { signDigest, type Channel } from '@sluice/contracts';
import {
  type Collection,
  type Row,
  type Rows,
  type StateStore,
  type StoredLease,
  StoredLeases,
} from '@sluice/document-store';
import { PeriodicTask } from '@sluice/service-host';
import { type Clock, newCommandId, newUlid, type Logger } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { statementFailures } from '@sluice/telemetry';
import type { DeviceUpdatesSettings } from '../config/device-updates.settings';
import { isForClient, isForPlatform } from '../serving/domain/native-rules';
import type { ServedBuild } from '../serving/served-builds';
import type { ServingIndex } from '../serving/serving-index';
import {
  channelStateText,
  sequenceOf,
  statedManifest,
  STATED_PLATFORMS,
  type StatedPlatform,
  type Validity,
} from './domain/statements';
import {
  channelStateId,
  manifestId,
  signedStatements,
  STATEMENTS_TOPIC,
  validityOf,
  type SignedStatement,
  type SignedStatements,
} from './signed-statements';

export interface StatementSignerOptions {
  readonly index: ServingIndex;
  readonly statements: SignedStatements;
  /** The state store. */
  readonly state: StateStore;
  readonly messaging: Pick<Messaging, 'announce' | 'request'>;
  readonly settings: Pick<DeviceUpdatesSettings, 'manifestTtlHours'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface LeaseRow extends Row {
  readonly holder: string;
  /** ISO 8601, for people. */
  readonly renewedAt: string;
}

/** In the state store. */
const leases: Collection<LeaseRow> = { name: 'leases', indexes: [] };

const LEASE_MS = 10_000;
const TAKE_EVERY_MS = 1_000;
/** All apps are looked at this often, for statements that are due and rows that were lost. */
const ALL_EVERY_MS = 300_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
const REPORT_EVERY_MS = 60_000;
const FAULT = 'Manifests and channel states could not be signed; it will be tried again';

/** A statement as it should be stored now; the text is made when it is signed. */
interface Wanted {
  readonly id: string;
  readonly about: Pick<SignedStatement, 'appId' | 'channel' | 'buildId' | 'platform' | 'sequence'>;
  readonly text: (validity: Validity) => string;
  /** The SHA-256 of a bundle that the server signs. */
  readonly bundle?: string;
}

/**
 * Keeps the signed statements of every app that has a signing key: for each active build a manifest, for each
 * channel and platform a state. One process of the installation does so at a time, by a lease; two would do no harm,
 * because a statement is made from events alone and an earlier sequence never replaces a later one.
 */
export class StatementSigner {
  private readonly rows: Rows<SignedStatement>;
  private readonly leases: StoredLeases<LeaseRow>;
  private readonly holder = newUlid();
  private readonly rounds: PeriodicTask;
  private stopListening: () => void = () => undefined;
  /** Apps that something happened to; looked at before all others. */
  private readonly changed = new Set<number>();
  private others: number[] = [];
  private readonly retries = new Map<number, { readonly attempts: number; readonly at: number }>();
  private lookedAtAll = Number.NEGATIVE_INFINITY;
  private reportedAt = Number.NEGATIVE_INFINITY;
  private held: StoredLease | undefined;

  constructor(private readonly options: StatementSignerOptions) {
    const { state, clock } = options;
    this.rows = state.rows(signedStatements);
    this.leases = new StoredLeases({ store: state, collection: leases, leaseMs: LEASE_MS, clock });
    this.rounds = new PeriodicTask({
      everyMs: () => TAKE_EVERY_MS,
      firstAfterMs: 0,
      run: () => this.round().catch((error: unknown) => this.failed(error)),
      fault: FAULT,
      logger: options.logger,
    });
  }

  start(): void {
    this.stopListening = this.options.index.onSigningChange((appId) => {
      this.changed.add(appId);
      if (this.held !== undefined) this.rounds.wake();
    });
    this.rounds.start();
  }

  async stop(): Promise<void> {
    this.stopListening();
    await this.rounds.stop();
    await this.release();
  }

  /** Brings the statements of one app to what they should be now. @throws when one can't be signed or stored */
  async reconcile(appId: number, signal: AbortSignal): Promise<void> {
    const { statements, index, messaging } = this.options;
    const held = new Map(statements.ofApp(appId).map((statement) => [statement.id, statement]));
    const signerRevision = index.signerRevision(appId);
    let written = false;
    try {
      for (const wanted of signerRevision === undefined ? [] : this.wanted(appId)) {
        if (signal.aborted) return;
        const before = held.get(wanted.id);
        held.delete(wanted.id);
        if (signerRevision === undefined || this.isCurrent(before, wanted, signerRevision)) continue;
        const statement = await this.sign(wanted, before, signerRevision);
        if (statement === undefined) {
          // The app has no signing key any longer.
          await this.remove(statements.ofApp(appId));
          return;
        }
        written = (await this.write(statement)) || written;
      }
      await this.remove(held.values());
    } finally {
      if (written) messaging.announce(STATEMENTS_TOPIC, {});
    }
  }

  /** Takes the lease unless it is held, and works until nothing is due. */
  private async round(): Promise<void> {
    if (this.held?.signal.aborted === true) await this.release();
    this.held ??= await this.take();
    if (this.held === undefined) return;
    const signal = AbortSignal.any([this.held.signal, this.rounds.signal]);
    const { clock } = this.options;
    for (let appId = this.next(); appId !== undefined && !signal.aborted; appId = this.next()) {
      try {
        await this.reconcile(appId, signal);
        this.retries.delete(appId);
      } catch (error) {
        const attempts = (this.retries.get(appId)?.attempts ?? 0) + 1;
        const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);
        this.retries.set(appId, { attempts, at: clock.monotonic() + waitMs });
        this.failed(error);
      }
      // A look that finds nothing to sign must not keep this thread from checks.
      await new Promise(setImmediate);
    }
  }

  /** Undefined: another process holds the lease, or there is nothing to do. @throws when the store does not answer */
  private async take(): Promise<StoredLease | undefined> {
    const lease = this.hasWork() ? await this.leases.take(() => this.leaseRow()) : undefined;
    if (lease === undefined) return undefined;
    try {
      await this.options.statements.readAll();
    } catch (error) {
      await lease.release();
      throw error;
    }
    this.changed.clear();
    this.lookedAtAll = Number.NEGATIVE_INFINITY;
    return lease;
  }

  private leaseRow(): LeaseRow {
    return { id: 'statement-signer', holder: this.holder, renewedAt: this.options.clock.now().toISOString() };
  }

  private async release(): Promise<void> {
    await this.held?.release();
    this.held = undefined;
  }

  /** False while no app has ever had a signing key: then the store is left alone. */
  private hasWork(): boolean {
    const { index, statements } = this.options;
    for (const any of [index.signers(), statements.signedApps()]) if (!any[Symbol.iterator]().next().done) return true;
    return false;
  }

  private next(): number | undefined {
    const now = this.options.clock.monotonic();
    for (const [appId, { at }] of this.retries) if (at <= now) this.changed.add(appId);
    for (const appId of this.changed) {
      this.changed.delete(appId);
      return appId;
    }
    if (this.others.length === 0 && now - this.lookedAtAll >= ALL_EVERY_MS) {
      const { index, statements } = this.options;
      this.lookedAtAll = now;
      this.others = [...new Set([...index.signers(), ...statements.signedApps()])];
    }
    for (let appId = this.others.pop(); appId !== undefined; appId = this.others.pop()) {
      if (!this.retries.has(appId)) return appId;
    }
    return undefined;
  }

  /**
   * What should be signed for the app, manifests before the states that name them. Each is computed from the index
   * when its turn comes: builds may change while others are signed.
   */
  private *wanted(appId: number): Generator<Wanted> {
    const { index } = this.options;
    for (const channel of index.channelsOf(appId)) {
      for (const { buildId } of index.builds.active(appId, channel)) {
        const build = index.builds.find(buildId);
        if (build?.active === true) yield wantedManifest(build);
      }
      for (const platform of STATED_PLATFORMS) yield this.wantedState(appId, channel, platform);
    }
  }

  private wantedState(appId: number, channel: Channel, platform: StatedPlatform): Wanted {
    const { index } = this.options;
    const sequence = sequenceOf(channel, index.channelRevision(appId, channel));
    const versions = Object.fromEntries(
      index.builds
        .active(appId, channel)
        // Clients that verify the state decrypt nothing.
        .filter((build) => isForPlatform(build, { platform }) && isForClient(build, {}))
        .map(({ facts: { version, manifestRevision } }) => [version, sequenceOf(channel, manifestRevision)]),
    );
    return {
      id: channelStateId(appId, channel, platform),
      about: { appId, channel, buildId: null, platform, sequence },
      text: (validity) => channelStateText({ appId, channel, platform, sequence, versions }, validity),
    };
  }

  private isCurrent(held: SignedStatement | undefined, { text }: Wanted, signerRevision: number): boolean {
    return (
      held !== undefined &&
      held.text === text(validityOf(held)) &&
      held.signerRevision === signerRevision &&
      held.renewAt > this.options.clock.now().getTime()
    );
  }

  /** Undefined: the app has no signing key. */
  private async sign(
    { id, about, text: textOf, bundle }: Wanted,
    before: SignedStatement | undefined,
    signerRevision: number,
  ): Promise<SignedStatement | undefined> {
    const { clock, settings, messaging } = this.options;
    const issued = clock.now();
    const ttlMs = settings.manifestTtlHours * 3_600_000;
    const signaturesOf = async (digest: string) => {
      const caller = { actor: 'system:statement-signer', commandId: newCommandId() };
      return (await messaging.request(signDigest, { appId: about.appId, digest }, caller)).signatures;
    };
    const expires = new Date(issued.getTime() + ttlMs);
    const text = textOf({ issued, expires });
    const signatures = await signaturesOf(createHash('sha256').update(text).digest('hex'));
    if (signatures.length === 0) return undefined;
    const known = before?.signerRevision === signerRevision ? before.bundleSignatures : null;
    const bundleSignatures = bundle === undefined ? null : (known ?? (await signaturesOf(bundle)));
    return {
      ...{ id, ...about, text, signatures, bundleSignatures, signerRevision },
      issuedAt: issued.getTime(),
      expiresAt: expires.getTime(),
      // At about half of its life, so that statements that were signed together are not renewed together.
      renewAt: issued.getTime() + ttlMs * (0.4 + Math.random() / 5),
      change: this.nextChange(),
    };
  }

  /** Grows from holder to holder too: it is never behind the clock, nor behind what is stored. */
  private nextChange(): number {
    return Math.max(this.options.statements.highestChange + 1, this.options.clock.now().getTime());
  }

  /** False: a later sequence is stored, by a process that knows later events. */
  private async write(statement: SignedStatement): Promise<boolean> {
    const written = await this.rows.update(statement.id, (stored) =>
      stored !== undefined && stored.sequence > statement.sequence ? undefined : statement,
    );
    if (written === undefined) return false;
    this.options.statements.apply(statement);
    return true;
  }

  private async remove(statements: Iterable<SignedStatement>): Promise<void> {
    for (const statement of statements) {
      await this.rows.delete(statement.id);
      this.options.statements.forget(statement);
    }
  }

  private failed(error: unknown): undefined {
    if (this.rounds.signal.aborted) return;
    statementFailures.inc();
    const now = this.options.clock.monotonic();
    if (now - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = now;
    this.options.logger.error({ err: error }, FAULT);
  }
}

function wantedManifest({ buildId, facts }: ServedBuild): Wanted {
  const { appId, channel, checksum } = facts;
  const sequence = sequenceOf(channel, facts.manifestRevision);
  return {
    id: manifestId(buildId),
    about: { appId, channel, buildId, platform: null, sequence },
    text: (validity) => statedManifest(facts, validity),
    ...(facts.signedByServer && { bundle: checksum }),
  };
}
