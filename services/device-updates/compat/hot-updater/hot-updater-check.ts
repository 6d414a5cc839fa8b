import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Channel, signDigest } from '@sluice/contracts';
import { newCommandId, ValidationError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { authenticate } from '../../access/device-headers';
import type { DownloadUrls } from '../../downloads/download-urls';
import type { FileIndexes } from '../../files/file-indexes';
import { prepareAnswer, type PreparedAnswer } from '../../serving/prepared-answer';
import type { ServedBuild } from '../../serving/served-builds';
import { decideUpdate, type DecisionOptions } from '../../update-check/update-check.route';
import { HotUpdaterIds, readUuid } from './hot-updater-ids';
import { channelNamed, urlKeyOf } from '../url-key';

export interface HotUpdaterCheckOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
  readonly files: FileIndexes;
  readonly messaging: Pick<Messaging, 'request'>;
}

/** What hot-updater's clients send, in the path, or until version 0.23 in headers; unchecked. */
export interface HotUpdaterRequest {
  readonly platform: string;
  /** Of the native app; undefined: the client sends the fingerprint of it. */
  readonly appVersion: string | undefined;
  readonly fingerprint: string | undefined;
  readonly channel: string;
  /** Of the bundle in the native app. */
  readonly minBundleId: string;
  /** Of the bundle that runs. */
  readonly bundleId: string;
  /** Undefined, or not one that clients make: none. */
  readonly cohort: string | undefined;
}

/** @param segment of the path, with the app key. @throws as an UpdateCheck, and while the bundle can't be read */
export type HotUpdaterCheck = (
  request: Pick<IncomingMessage, 'headers'>,
  segment: string,
  asked: HotUpdaterRequest,
) => Promise<PreparedAnswer>;

type Status = 'UPDATE' | 'ROLLBACK';

const EMBEDDED_ID = '00000000-0000-0000-0000-000000000000';
const COHORT = /^[a-z0-9-]{1,64}$/;

/** Earlier clients than 0.31 take any other object for an update. */
const NOTHING_NEW = prepareAnswer(200, null as unknown as object);
const TO_EMBEDDED = prepareAnswer(200, {
  ...{ id: EMBEDDED_ID, status: 'ROLLBACK' satisfies Status, shouldForceUpdate: true, message: null },
  ...{ fileUrl: null, fileHash: null },
});

/** Update checks of hot-updater's clients. */
export function hotUpdaterCheck({ urls, files, messaging, ...options }: HotUpdaterCheckOptions): HotUpdaterCheck {
  const { index, usage } = options;
  const decide = decideUpdate(options);
  const ids = new HotUpdaterIds(files);
  const hashes = new WeakMap<ServedBuild, { readonly signer: number | undefined; readonly made: Promise<string> }>();
  const offers = new WeakMap<ServedBuild, Map<string, PreparedAnswer>>();

  return async (request, segment, asked) => {
    const key = urlKeyOf(index, segment);
    const { app, key: served } = authenticate(index, usage, { origin: request.headers.origin, 'x-api-key': key.key });
    const { minBundleId, bundleId } = idsOf(asked);
    const named = channelNamed(index, key, asked.channel === '' ? key.channel : asked.channel);
    const channel = named === undefined ? undefined : index.channel(app.appId, named)?.channel;
    // Any text may be the name of a channel of hot-updater's.
    if (named !== undefined && channel === undefined) return NOTHING_NEW;

    const isEmbedded = bundleId <= minBundleId;
    const running = isEmbedded ? [] : await ids.find(index, app.appId, bundleId);
    const current = runningOf(
      running,
      channel ?? index.channel(app.appId, served.channels?.only ?? 'production')?.channel,
    );
    const { selected, rollBackToEmbedded } = decide(
      headersOf(request, key.key, asked, current?.facts.version ?? '0.0.0'),
      named,
      cohortOf(asked),
    );
    if (selected === undefined) return rollBackToEmbedded && !isEmbedded ? TO_EMBEDDED : NOTHING_NEW;

    // These clients also go back to an older version, and so need no copy of it under a higher one.
    const build = index.builds.sourceOf(selected.build);
    const id = await ids.of(build);
    if (id === undefined || id === bundleId) return NOTHING_NEW;
    // It is older than the bundle in the native app. Only a recall leads there.
    if (id < minBundleId) return build === selected.build || isEmbedded ? NOTHING_NEW : TO_EMBEDDED;
    // Clients take a lower id as a way back alone. What they run then must be known, because only a newer version is one forward.
    if (id < bundleId && current === undefined) return NOTHING_NEW;
    return offer(build, id, id > bundleId ? 'UPDATE' : 'ROLLBACK', selected.mandatory);
  };

  async function offer(build: ServedBuild, id: string, status: Status, mandatory: boolean): Promise<PreparedAnswer> {
    const fileHash = await hashOf(build);
    const expires = urls.expiry();
    const shouldForceUpdate = status === 'ROLLBACK' || mandatory;
    const kind = `${expires} ${status} ${shouldForceUpdate} ${fileHash}`;
    const known = offers.get(build)?.get(kind);
    if (known !== undefined) return known;
    const answer = prepareAnswer(200, {
      ...{ id, status, shouldForceUpdate, message: build.facts.releaseNotes },
      ...{ fileUrl: urls.sign(build.facts, expires), fileHash },
    });
    // Those of an earlier expiry, or of former keys, are of no use any more.
    const current = [...(offers.get(build) ?? [])].filter(([each]) => each.startsWith(`${expires} `));
    offers.set(build, new Map([...current, [kind, answer]]));
    return answer;
  }

  /** The hash of the bundle, in an app with a signing key its signature instead; signed once for each build. */
  function hashOf(build: ServedBuild): Promise<string> {
    const { appId, checksum } = build.facts;
    const signer = index.signerRevision(appId);
    const known = hashes.get(build);
    if (known?.signer === signer && known !== undefined) return known.made;
    const made = signer === undefined ? Promise.resolve(checksum) : signedHash(appId, checksum);
    hashes.set(build, { signer, made });
    made.catch(() => hashes.delete(build));
    return made;
  }

  async function signedHash(appId: number, checksum: string): Promise<string> {
    const digest = createHash('sha256').update(Buffer.from(checksum, 'hex')).digest('hex');
    const caller = { actor: 'system:hot-updater', commandId: newCommandId() };
    const { signature } = await messaging.request(signDigest, { appId, digest, scheme: 'pkcs1v15' }, caller);
    return signature === null ? checksum : `sig:${signature}`;
  }
}

/**
 * What the device counts as running, of the builds with its bundle: the newest one of its channel. What republishes another is
 * not what these clients were sent.
 */
function runningOf(builds: readonly ServedBuild[], channel: Channel | undefined): ServedBuild | undefined {
  const newestFirst = builds
    .filter(({ isRepublished }) => !isRepublished)
    .sort((left, right) => right.version.compare(left.version));
  return newestFirst.find(({ facts }) => facts.channel === channel) ?? newestFirst[0];
}

/** @throws ValidationError */
function idsOf(asked: HotUpdaterRequest): Record<'minBundleId' | 'bundleId', string> {
  const minBundleId = readUuid(asked.minBundleId);
  const bundleId = readUuid(asked.bundleId);
  if (minBundleId !== undefined && bundleId !== undefined) return { minBundleId, bundleId };
  const rule = (name: string, text: string) => [`The ${name} must be a UUID. Received: ${text.slice(0, 64)}`];
  throw new ValidationError({
    ...(minBundleId === undefined && { minBundleId: rule('minBundleId', asked.minBundleId) }),
    ...(bundleId === undefined && { bundleId: rule('bundleId', asked.bundleId) }),
  });
}

/** In place of an id of the device; true: it sends none. */
function cohortOf({ cohort = '' }: HotUpdaterRequest): string | true {
  const text = cohort.trim().toLowerCase();
  return COHORT.test(text) ? `cohort-${text}` : true;
}

/** The headers by which a client of Sluice sends the same. */
function headersOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  key: string,
  { platform, appVersion, fingerprint }: HotUpdaterRequest,
  version: string,
): IncomingHttpHeaders {
  return {
    origin: headers.origin,
    'x-forwarded-for': headers['x-forwarded-for'],
    'x-api-key': key,
    'x-platform': platform,
    'x-app-version': appVersion,
    'x-native-fingerprint': fingerprint,
    'x-current-version': version,
  };
}
