import type { Channel, ServiceFacts } from '@sluice/contracts';
import type { Collection, Row, Rows, StateStore } from '@sluice/document-store';
import { PeriodicTask } from '@sluice/service-host';
import type { Clock, Logger } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import type { PreparedAnswer } from '../serving/prepared-answer';
import type { ServedBuild } from '../serving/served-builds';
import type { ServingIndex } from '../serving/serving-index';
import { sequenceOf, STATED_PLATFORMS, type StatedPlatform, type Validity } from './domain/statements';

/** Base64, with the integer id of the key that made it. */
export interface KeySignature {
  readonly key_id: number;
  readonly signature: string;
}

/** A signed text about a build (`buildId`) or about a channel and a platform (`platform`). */
export interface SignedStatement extends Row {
  readonly appId: number;
  readonly channel: Channel;
  readonly buildId: number | null;
  readonly platform: StatedPlatform | null;
  readonly sequence: number;
  /** The exact text. */
  readonly text: string;
  /** Of the text, by every trusted key, oldest key first; never empty. */
  readonly signatures: readonly KeySignature[];
  /** Of the build's bundle, likewise; null where the server does not sign it. */
  readonly bundleSignatures: readonly KeySignature[] | null;
  /** The revision of the signing keys' stream that the signer knew. */
  readonly signerRevision: number;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** When it is signed again, milliseconds since 1970. */
  readonly renewAt: number;
  /** Grows with every write of any statement. */
  readonly change: number;
}

/** In the state store. They can be made again from events at any time. */
export const signedStatements: Collection<SignedStatement> = {
  name: 'signedStatements',
  indexes: [{ fields: ['change'] }, { fields: ['expiresAt'] }],
};

export const validityOf = ({ issuedAt, expiresAt }: SignedStatement): Validity => ({
  issued: new Date(issuedAt),
  expires: new Date(expiresAt),
});

export const manifestId = (buildId: number): string => `manifest/${buildId}`;
export const channelStateId = (appId: number, channel: Channel, platform: StatedPlatform): string =>
  `channelState/${appId}/${channel}/${platform}`;

/** A channel's state in memory, with the responses that offer nothing and carry it. */
export interface ServedState {
  readonly statement: SignedStatement;
  nothing?: PreparedAnswer;
  toEmbedded?: PreparedAnswer;
  /** That name a native version, by it. */
  nativeUpdates?: Map<string, PreparedAnswer>;
}

interface AppStatements {
  readonly manifests: Map<number, SignedStatement>;
  readonly states: Map<Channel, Map<StatedPlatform, ServedState>>;
}

/** Bus topic: statements were written. */
export const STATEMENTS_TOPIC = 'signed-statements';

const LOOK_EVERY_MS = 1_000;
/** Finds what a look can miss: deleted rows, and writes of a signer that had lost its lease. */
const READ_ALL_EVERY_MS = 3_600_000;
const PAGE = 500;
/** The signer looks at all statements every five minutes. */
const RENEWED_WITHIN_MS = 900_000;

export interface SignedStatementsOptions {
  readonly index: ServingIndex;
  /** The state store. */
  readonly state: StateStore;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The signed statements in memory. Update checks read them; they follow the state store by a look at what changed,
 * each second and on announcements, while any app has a signing key.
 */
export class SignedStatements {
  private readonly rows: Rows<SignedStatement>;
  private apps = new Map<number, AppStatements>();
  private readonly looks: PeriodicTask;
  /** The highest change that was read. */
  private seen = 0;
  private readAllAt = Number.NEGATIVE_INFINITY;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: SignedStatementsOptions) {
    this.rows = options.state.rows(signedStatements);
    this.looks = new PeriodicTask({
      everyMs: () => LOOK_EVERY_MS,
      run: () => this.look(),
      fault: 'Signed statements could not be read; the ones that are known are served',
      logger: options.logger,
    });
  }

  /** Resolves once the rows were read, or could not be; from then on they are followed. */
  async open(): Promise<void> {
    const { messaging, index } = this.options;
    const hint = () => this.looks.wake();
    const stops = [messaging.listen(STATEMENTS_TOPIC, hint), index.onSigningChange(hint)];
    this.stopListening = () => stops.forEach((stop) => stop());
    await this.looks.runNow();
    this.looks.start();
  }

  async close(): Promise<void> {
    this.stopListening();
    await this.looks.stop();
  }

  /** Whether anything is signed for the app: false for an app without a signing key. */
  has(appId: number): boolean {
    return this.apps.has(appId);
  }

  /** The state as the channel is now; undefined while it is not signed, or has expired. */
  state(appId: number, channel: Channel, platform: StatedPlatform): ServedState | undefined {
    const state = this.apps.get(appId)?.states.get(channel)?.get(platform);
    if (state === undefined || !this.isValid(state.statement)) return undefined;
    return state.statement.sequence === sequenceOf(channel, this.options.index.channelRevision(appId, channel))
      ? state
      : undefined;
  }

  /** The manifest of the build as it is now; undefined while it is not signed, or has expired. */
  manifest(build: ServedBuild): SignedStatement | undefined {
    const manifest = this.apps.get(build.facts.appId)?.manifests.get(build.buildId);
    if (manifest === undefined || !this.isValid(manifest)) return undefined;
    return manifest.sequence === sequenceOf(build.facts.channel, build.facts.manifestRevision) ? manifest : undefined;
  }

  /** Of the bundle, by every trusted key; undefined where the server does not sign it, or did not yet. */
  bundleSignatures({ buildId, facts }: ServedBuild): readonly KeySignature[] | undefined {
    return this.apps.get(facts.appId)?.manifests.get(buildId)?.bundleSignatures ?? undefined;
  }

  /** Every statement of the app, whether it is current or not. */
  ofApp(appId: number): SignedStatement[] {
    const app = this.apps.get(appId);
    if (app === undefined) return [];
    const states = [...app.states.values()].flatMap((channel) => [...channel.values()]);
    return [...app.manifests.values(), ...states.map(({ statement }) => statement)];
  }

  /** When the first of all stored statements expires, milliseconds since 1970; undefined: there is none. */
  async earliestExpiry(): Promise<number | undefined> {
    return (await this.earliest())?.expiresAt;
  }

  /** For operators. */
  async health(): Promise<ServiceFacts['signed_statements'] & object> {
    const { index, clock } = this.options;
    let missing = 0;
    for (const appId of [...index.signers()]) {
      for (const channel of index.channelsOf(appId)) {
        missing += STATED_PLATFORMS.filter((platform) => this.state(appId, channel, platform) === undefined).length;
        missing += index.builds.active(appId, channel).filter((build) => this.manifest(build) === undefined).length;
      }
      // However many apps there are, checks are answered meanwhile.
      await new Promise(setImmediate);
    }
    const first = await this.earliest();
    return {
      missing,
      earliest_expiry: first === undefined ? null : new Date(first.expiresAt).toISOString(),
      overdue: first !== undefined && clock.now().getTime() > first.renewAt + RENEWED_WITHIN_MS,
    };
  }

  private async earliest(): Promise<SignedStatement | undefined> {
    const [first] = await this.rows.find({ where: { expiresAt: { gt: 0 } }, sort: [['expiresAt', 'asc']], limit: 1 });
    return first;
  }

  /** The apps that any statement is about. */
  signedApps(): Iterable<number> {
    return this.apps.keys();
  }

  /** Takes what was just written; an earlier change than the one that is known is left out. */
  apply(statement: SignedStatement): void {
    this.seen = Math.max(this.seen, statement.change);
    put(this.apps, statement);
  }

  forget({ appId, channel, buildId, platform }: SignedStatement): void {
    const app = this.apps.get(appId);
    if (app === undefined) return;
    if (buildId !== null) app.manifests.delete(buildId);
    if (platform !== null) app.states.get(channel)?.delete(platform);
    if (app.states.get(channel)?.size === 0) app.states.delete(channel);
    if (app.manifests.size + app.states.size === 0) this.apps.delete(appId);
  }

  /** Of all statements that this process has seen. */
  get highestChange(): number {
    return this.seen;
  }

  /** Reads every row: what the store no longer holds is forgotten. @throws when the store does not answer */
  async readAll(): Promise<void> {
    const before = this.seen;
    const apps = new Map<number, AppStatements>();
    let seen = before;
    for (let after = ''; ;) {
      const page = await this.rows.find({ where: { id: { gt: after } }, limit: PAGE });
      for (const statement of page) {
        put(apps, statement);
        seen = Math.max(seen, statement.change);
      }
      if (page.length < PAGE) break;
      after = page.at(-1)?.id ?? '';
    }
    // What this process wrote meanwhile; what others wrote is found by the next look.
    for (const appId of this.apps.keys()) {
      for (const statement of this.ofApp(appId)) if (statement.change > before) put(apps, statement);
    }
    this.apps = apps;
    this.readAllAt = this.options.clock.monotonic();
    await this.readChanges(before);
    this.seen = Math.max(this.seen, seen);
  }

  private isValid({ expiresAt }: SignedStatement): boolean {
    return expiresAt > this.options.clock.now().getTime();
  }

  private async look(): Promise<void> {
    const { index, clock } = this.options;
    const signs = !index.signers()[Symbol.iterator]().next().done;
    if (!signs && this.apps.size === 0) return;
    if (clock.monotonic() - this.readAllAt >= READ_ALL_EVERY_MS) await this.readAll();
    else await this.readChanges(this.seen);
  }

  private async readChanges(after: number): Promise<void> {
    for (let seen = after; ;) {
      const page = await this.rows.find({ where: { change: { gt: seen } }, sort: [['change', 'asc']], limit: PAGE });
      for (const statement of page) this.apply(statement);
      if (page.length < PAGE) return;
      seen = page.at(-1)?.change ?? seen;
    }
  }
}

function put(apps: Map<number, AppStatements>, statement: SignedStatement): void {
  const { appId, channel, buildId, platform, change } = statement;
  let app = apps.get(appId);
  if (app === undefined) apps.set(appId, (app = { manifests: new Map(), states: new Map() }));
  if (buildId !== null) {
    if ((app.manifests.get(buildId)?.change ?? 0) < change) app.manifests.set(buildId, statement);
    return;
  }
  if (platform === null) return;
  let states = app.states.get(channel);
  if (states === undefined) app.states.set(channel, (states = new Map<StatedPlatform, ServedState>()));
  if ((states.get(platform)?.statement.change ?? 0) < change) states.set(platform, { statement });
}
