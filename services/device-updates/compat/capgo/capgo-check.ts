import type { IncomingMessage } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { LRUCache } from 'lru-cache';
import { authenticate } from '../../access/device-headers';
import type { DownloadUrls } from '../../downloads/download-urls';
import type { FileIndexes } from '../../files/file-indexes';
import { prepareAnswer, type PreparedAnswer } from '../../serving/prepared-answer';
import type { ServedBuild } from '../../serving/served-builds';
import { decideUpdate, type DecisionOptions } from '../../update-check/update-check.route';
import { manifestOf, takesManifest } from './capgo-manifest';
import { BUILTIN, type CapgoInfo, headersOf, infoOf, isBuiltin, membersOf } from './capgo-info';
import { channelNamed, isUnknown, urlKeyOf } from '../url-key';

export interface CapgoCheckOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
  readonly files: FileIndexes;
}

interface Offer {
  readonly expires: number;
  readonly answer: PreparedAnswer;
}

/** @param segment of the path, with the app key. @throws as an UpdateCheck */
export type CapgoCheck = (request: Pick<IncomingMessage, 'headers'>, segment: string, body: unknown) => PreparedAnswer;

const NOTHING_NEW = {
  error: 'no_new_version_available',
  message: 'No new version available',
  // Read by clients since May 2026; earlier ones report a failed download.
  kind: 'up_to_date',
};
/** Of responses with the files of builds, in memory. */
const MANIFEST_BYTES = 32 * 1024 * 1024;
const UP_TO_DATE = prepareAnswer(200, NOTHING_NEW);
const CHANNEL_CLOSED = prepareAnswer(200, { ...NOTHING_NEW, message: 'The channel was closed' });
const TO_BUILTIN = prepareAnswer(200, { version: BUILTIN });

/** Update checks of Capgo's clients. */
export function capgoCheck({ urls, files, ...options }: CapgoCheckOptions): CapgoCheck {
  const decide = decideUpdate(options);
  const offers = new WeakMap<ServedBuild, Offer>();
  const withManifest = new LRUCache<ServedBuild, Offer>({
    ...{ maxSize: MANIFEST_BYTES, sizeCalculation: ({ answer }) => answer.body.length },
  });

  const offer = (build: ServedBuild, expires: number): PreparedAnswer => {
    const known = offers.get(build);
    if (known?.expires === expires) return known.answer;
    const answer = prepareAnswer(200, facts(build, expires));
    offers.set(build, { expires, answer });
    return answer;
  };

  /** With each file of the build where that is known, and else without. */
  const offerFiles = (build: ServedBuild, expires: number): PreparedAnswer => {
    const known = withManifest.get(build);
    if (known?.expires === expires) return known.answer;
    const manifest = manifestOf(build, files);
    if (manifest === undefined) return offer(build, expires);
    const answer = prepareAnswer(200, { ...facts(build, expires), manifest });
    withManifest.set(build, { expires, answer });
    return answer;
  };

  const facts = (build: ServedBuild, expires: number) => {
    const { version, checksum, releaseNotes, delivery } = build.facts;
    const { session_key, checksum: sealed } = delivery?.capgo ?? { session_key: '', checksum };
    // No member named error, kind or message, not even null: to clients the offer would be a rejection.
    return {
      ...{ version, url: urls.sign(build.facts, expires), checksum: sealed, session_key },
      ...(releaseNotes !== null && { comment: releaseNotes }),
    };
  };

  return (request, segment, body) => {
    const { index } = options;
    const asked = urlKeyOf(index, segment);
    const info = infoOf(membersOf(body));
    const channel = channelNamed(index, asked, info.channel === '' ? asked.channel : info.channel);
    const headers = headersOf(request, asked, info);
    // Any text may be the name of a channel of Capgo's.
    if (isUnknown(index, asked, channel)) {
      authenticate(index, options.usage, headers);
      return UP_TO_DATE;
    }
    const hasKeyOf = (build: ServedBuild) => hasKey(info, build);
    const decided = decide(headers, channel, false, { client: 'capgo', hasKeyOf });
    const { selected, ofOtherKey, rollBackToEmbedded, closed } = decided;
    if (selected !== undefined) {
      const build = options.index.builds.sourceOf(selected.build);
      const isByFiles = build.client === undefined && takesManifest(info.pluginVersion);
      return (isByFiles ? offerFiles : offer)(build, urls.expiry());
    }
    if (rollBackToEmbedded && !isBuiltin(info)) return TO_BUILTIN;
    if (ofOtherKey !== undefined) return prepareAnswer(200, mismatch(options.index.builds.sourceOf(ofOtherKey)));
    return closed ? CHANNEL_CLOSED : UP_TO_DATE;
  };
}

function hasKey({ keyId }: CapgoInfo, { facts }: ServedBuild): boolean {
  const keyOfBuild = facts.delivery?.capgo.key_id;
  return keyId === '' || keyOfBuild === undefined || keyId === keyOfBuild;
}

function mismatch({ facts: { version, delivery } }: ServedBuild) {
  const message = `Version ${version} is encrypted for the key ${delivery?.capgo.key_id}, which is not that of the app.`;
  return { error: 'key_id_mismatch', message, kind: 'blocked', version };
}

/**
 * A rejection in the form of Capgo. Clients read the body of a 200 alone, so a rejected check is one too, unless they are to
 * repeat it.
 */
export function capgoRefusal({
  status,
  code,
  headers,
  body,
}: ErrorReply): Pick<ErrorReply, 'status' | 'headers' | 'body'> {
  const { error, message, errors } = body as {
    readonly error?: { readonly message: string };
    readonly message?: string;
    readonly errors?: Readonly<Record<string, readonly string[]>>;
  };
  const text = errors === undefined ? (error?.message ?? message) : Object.values(errors).flat().join(' ');
  const kind = status === 403 ? 'blocked' : 'failed';
  return {
    status: status === 429 || status >= 500 ? status : 200,
    headers: { 'Cache-Control': 'no-store', ...headers },
    body: { status: 'error', error: code.toLowerCase(), message: text, kind },
  };
}
