import type { IncomingMessage } from 'node:http';
import { type ErrorReply, UNCACHED } from '@sluice/http';
import { isUnavailable, VALIDATION_FAILED } from '@sluice/kernel';
import { authenticate } from '../../access/device-headers';
import type { DownloadUrls } from '../../downloads/download-urls';
import type { FileIndexes } from '../../files/file-indexes';
import { channelOfDevice } from '../../serving/channel-of-device';
import type { DevicePlatform } from '../../serving/domain/select-build';
import { prepareAnswer, type PreparedAnswer } from '../../serving/prepared-answer';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServedKey } from '../../serving/serving-index';
import type { ServingApp } from '../../serving/serving.projection';
import { decideUpdate, type DecisionOptions } from '../../update-check/update-check.route';
import {
  type CodePushRequest,
  codePushRequest,
  headersOf,
  labelOf,
  readLabel,
  requireKey,
  requireVersion,
  spelt,
  type Spelling,
} from './codepush-request';
import { changesBetween } from './codepush-changes';
import type { InferredReports } from '../inferred-reports';
import { PackageHashes } from './package-hashes';
import { channelNamed, urlKeyOf } from '../url-key';

export interface CodePushCheckOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
  readonly files: FileIndexes;
  readonly reports: InferredReports;
}

/** @param query of the request, parsed. @throws as an UpdateCheck, and as FileIndexes */
export type CodePushCheck = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  query: Readonly<Record<string, unknown>>,
  spelling: Spelling,
) => PreparedAnswer | Promise<PreparedAnswer>;

/** What a device runs. */
interface Running {
  readonly version: string;
  /** Undefined: no build that the server still has. */
  readonly build: () => ServedBuild | undefined;
}

const NOTHING: Running = { version: '0.0.0', build: () => undefined };

const NO_UPDATE = {
  ...{ is_available: false, update_app_version: false, is_mandatory: false, is_disabled: false },
  ...{ target_binary_range: '', label: '', description: '', download_url: '', package_hash: '', package_size: 0 },
  should_run_binary_version: false,
};
const UP_TO_DATE = {
  snake: answerOf(NO_UPDATE, 'snake'),
  camel: answerOf(NO_UPDATE, 'camel'),
};

function answerOf(info: Readonly<Record<string, unknown>>, spelling: Spelling): PreparedAnswer {
  const members = Object.entries(info).map(([name, value]) => [spelt(name, spelling), value] as const);
  return prepareAnswer(200, { [spelt('update_info', spelling)]: Object.fromEntries(members) });
}

/** Of one build, by what the answer depends on. Clients choose their native version, so it is bounded. */
const ANSWERS = 200;
const MAX_REMEMBERED_VERSION = 32;

interface Offers {
  readonly expires: number;
  readonly answers: Map<string, PreparedAnswer>;
}

/** Of devices, whose clients do not send it. */
export function devicePlatform({ platform }: ServingApp, key: ServedKey): DevicePlatform {
  return key.platform ?? (platform === 'both' ? 'all' : platform);
}

/** Update checks of CodePush's clients. */
export function codePushCheck({ urls, files, reports, ...options }: CodePushCheckOptions): CodePushCheck {
  const { index, usage, hashes: devices } = options;
  const decide = decideUpdate(options);
  const hashes = new PackageHashes(index, files);
  const known = new WeakMap<ServedBuild, Offers>();
  /** Of a package, the bytes of the changes from others to it, by their object keys. */
  const changes = new WeakMap<ServedBuild, Map<string, number>>();

  return (request, query, spelling) => {
    const asked = codePushRequest(query, spelling);
    requireKey(asked);
    requireVersion(asked);
    const named = urlKeyOf(index, asked.deploymentKey);
    const { key: text } = named;
    const channel = channelNamed(index, named, named.channel);
    const { app, key } = authenticate(index, usage, { origin: request.headers.origin, 'x-api-key': text });
    const platform = devicePlatform(app, key);
    const finish = (running: Running): PreparedAnswer | Promise<PreparedAnswer> => {
      const headers = headersOf(request, text, asked, { platform, version: running.version });
      const isAnonymous = asked.clientId === '';
      const { selected, nativeUpdate } = decide(headers, channel, isAnonymous);
      // What the device runs, it reports itself.
      if (!isAnonymous) reports(request, { deviceId: asked.clientId, headers, running: undefined });
      if (selected !== undefined) {
        const build = index.builds.sourceOf(selected.build);
        return offer(build, selected.mandatory, running.build(), asked, spelling);
      }
      const range = nativeUpdate?.build.nativeRange?.canonical;
      if (range === undefined) return UP_TO_DATE[spelling];
      return answerOf({ ...NO_UPDATE, update_app_version: true, target_binary_range: range }, spelling);
    };
    const running = runningOf(app, key, platform, channel, asked);
    return running instanceof Promise ? running.then(finish) : finish(running);
  };

  /** From its label, else from the hash: a device that was updated by another server has labels of that. */
  function runningOf(
    app: ServingApp,
    key: ServedKey,
    platform: string,
    requested: string | undefined,
    { label, packageHash, clientId }: CodePushRequest,
  ): Running | Promise<Running> {
    const { appId } = app;
    const named = readLabel(label);
    if (named !== undefined) {
      const { version, release } = named;
      const build = () => index.builds.ofVersion(appId, version).find(({ facts }) => facts.release === release);
      return { version, build };
    }
    if (packageHash === '') return NOTHING;
    const of = channelOfDevice(index, app, {
      ...{ keyChannels: key.channels, requested, platform },
      hashes: () => (clientId === '' ? [] : devices.known(appId, clientId)),
    });
    const channel = of.chosen ?? of.named?.channel;
    if (channel === undefined || key.channels?.admits(channel) === false) return NOTHING;
    const running = (build: ServedBuild | undefined) =>
      build === undefined ? NOTHING : { version: build.facts.version, build: () => build };
    const found = hashes.find(appId, channel, packageHash);
    return found instanceof Promise ? found.then(running) : running(found);
  }

  function offer(
    build: ServedBuild,
    mandatory: boolean,
    running: ServedBuild | undefined,
    asked: CodePushRequest,
    spelling: Spelling,
  ): PreparedAnswer | Promise<PreparedAnswer> {
    const { appVersion, packageHash, label } = asked;
    const hash = hashes.peek(build);
    if (hash === undefined) return hashes.load(build).then(() => offer(build, mandatory, running, asked, spelling));
    if (hash === packageHash) return UP_TO_DATE[spelling];
    // Without a label the device runs the bundle in its native app, which not every client can change in parts.
    const isBase = running !== undefined && label !== '' && packageHash !== '';
    const sizeFrom = (hashOfRunning: string | undefined): number | undefined | Promise<number | undefined> =>
      isBase && hashOfRunning === packageHash ? sizeOfChanges(running, build) : undefined;
    const made = (size: number | undefined): PreparedAnswer => {
      const base = size !== undefined && size < build.facts.size ? running : undefined;
      return remembered(build, { mandatory, appVersion, spelling, hash, base, size });
    };
    const hashOfRunning = isBase ? hashes.ifAvailable(running) : undefined;
    const size = hashOfRunning instanceof Promise ? hashOfRunning.then(sizeFrom) : sizeFrom(hashOfRunning);
    return size instanceof Promise ? size.then(made) : made(size);
  }

  function remembered(build: ServedBuild, of: Offer): PreparedAnswer {
    const { mandatory, appVersion, spelling, base } = of;
    const expires = urls.expiry();
    let offers = known.get(build);
    if (offers?.expires !== expires) known.set(build, (offers = { expires, answers: new Map() }));
    const { answers } = offers;
    const key = `${spelling} ${mandatory} ${base?.buildId} ${appVersion}`;
    const before = answers.get(key);
    if (before !== undefined) return before;
    const answer = offerOf(build, of, expires);
    if (answers.size >= ANSWERS) answers.clear();
    if (appVersion.length <= MAX_REMEMBERED_VERSION) answers.set(key, answer);
    return answer;
  }

  function offerOf({ facts }: ServedBuild, of: Offer, expires: number): PreparedAnswer {
    const { mandatory, appVersion, spelling, hash, base, size = facts.size } = of;
    const download =
      base === undefined
        ? { download_url: urls.sign(facts, expires), package_size: facts.size }
        : { download_url: urls.signChanges(facts, base.facts, expires), package_size: size };
    return answerOf(
      {
        ...{ ...NO_UPDATE, ...download, is_available: true, is_mandatory: mandatory },
        // Clients delete an update whose range is not the very text of their native version.
        target_binary_range: appVersion,
        ...{ label: labelOf({ facts }), description: facts.releaseNotes ?? '', package_hash: hash },
      },
      spelling,
    );
  }

  /** Bytes; undefined: only the whole package leads there, or their indexes are not available. */
  function sizeOfChanges(base: ServedBuild, target: ServedBuild): number | undefined | Promise<number | undefined> {
    const toTarget = changes.get(target) ?? new Map<string, number>();
    changes.set(target, toTarget);
    const { objectKey } = base.facts;
    const before = toTarget.get(objectKey);
    if (before !== undefined) return before;
    return Promise.all([files.load(base), files.load(target)]).then(
      (indexes) => {
        const size = changesBetween(...indexes)?.size ?? Infinity;
        toTarget.set(objectKey, size);
        return size;
      },
      (error: unknown) => {
        if (isUnavailable(error)) return undefined;
        throw error;
      },
    );
  }
}

/** What an answer depends on, apart from the build. */
interface Offer {
  readonly mandatory: boolean;
  readonly appVersion: string;
  readonly spelling: Spelling;
  readonly hash: string;
  /** What the download changes; undefined: it is the whole package. */
  readonly base: ServedBuild | undefined;
  /** Bytes of the changes. */
  readonly size: number | undefined;
}

/** A rejection, as text: clients throw it, keep what they run, and try again at their next check. */
export function codePushRefusal({ status, code, headers, body }: ErrorReply): PreparedAnswer {
  const { error, message, errors } = body as {
    readonly error?: { readonly message: string };
    readonly message?: string;
    readonly errors?: Readonly<Record<string, readonly string[]>>;
  };
  const text = errors === undefined ? (error?.message ?? message ?? '') : Object.values(errors).flat().join(' ');
  const bytes = Buffer.from(text).toString('latin1');
  const all = {
    'Content-Type': 'text/plain; charset=utf-8',
    ...UNCACHED,
    'Content-Length': String(bytes.length),
    ...headers,
  };
  return { status: STATUS[code] ?? status, headers: Object.entries(all).flat(), body: bytes };
}

/** As CodePush's own server has them: a key that there is not is an address that there is not. */
const STATUS: Readonly<Record<string, number>> = {
  INVALID_API_KEY: 404,
  INVALID_API_KEY_FORMAT: 404,
  [VALIDATION_FAILED]: 400,
};
