import type { IncomingMessage } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import type { FastifyInstance } from 'fastify';
import { authenticate, header } from '../../access/device-headers';
import type { DownloadUrls } from '../../downloads/download-urls';
import { sendPrepared } from '../../http/send-prepared';
import { rememberingVersions } from '../../serving/domain/remembering-versions';
import { prepareAnswer, type PreparedAnswer } from '../../serving/prepared-answer';
import type { ServedBuild } from '../../serving/served-builds';
import { decideUpdate, type DecisionOptions } from '../../update-check/update-check.route';
import { channelNamed, urlKeyOf } from '../url-key';

export interface NativeUpdateCheckOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
}

/** @param segment of the path, with the app key. @param query of the request, parsed. @throws as an UpdateCheck */
export type NativeUpdateCheck = (
  request: Pick<IncomingMessage, 'headers'>,
  segment: string,
  query: Readonly<Record<string, unknown>>,
) => PreparedAnswer;

export interface NativeUpdateOptions {
  readonly check: NativeUpdateCheck;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

// The client for Android takes any JSON of a 2xx for an update.
const NOTHING_NEW = prepareAnswer(404, { available: false });

/**
 * Registers the protocol of native-update from 1.3 to 3.1.2 on a scope of its own, with the app key in the path:
 * `GET /{key}/check`. Later versions send what Sluice's own update check reads.
 */
export function registerNativeUpdateRoutes(plane: FastifyInstance, { check, refuse }: NativeUpdateOptions): void {
  plane.setErrorHandler((error, request, reply) => {
    reply.hijack();
    sendPrepared(nativeUpdateRefusal(refuse(error, request)), request.raw, reply.raw);
  });

  plane.get('/:key/check', (request, reply) => {
    const { key: segment } = request.params as { readonly key: string };
    const answer = check(request.raw, segment, request.query as Readonly<Record<string, unknown>>);
    reply.hijack();
    sendPrepared(answer, request.raw, reply.raw);
  });
}

export function nativeUpdateRefusal({ status, headers, body }: ErrorReply): PreparedAnswer {
  return prepareAnswer(status, { available: false, ...body }, headers);
}

/** Update checks of native-update's clients. */
export function nativeUpdateCheck({ urls, ...options }: NativeUpdateCheckOptions): NativeUpdateCheck {
  const { index, usage } = options;
  const decide = decideUpdate(options);
  const versionOf = rememberingVersions();
  const offers = new WeakMap<ServedBuild, { readonly expires: number; readonly answer: PreparedAnswer }>();

  return ({ headers }, segment, query) => {
    const asked = urlKeyOf(index, segment);
    const { app, key } = authenticate(index, usage, { origin: headers.origin, 'x-api-key': asked.key });
    const named = channelNamed(index, asked, textOf(query['channel']) ?? asked.channel);
    // Any text may be the name of a channel of native-update's.
    if (named !== undefined && index.channel(app.appId, named) === undefined) return NOTHING_NEW;
    const { selected } = decide(
      {
        ...{ origin: headers.origin, 'x-forwarded-for': headers['x-forwarded-for'], 'x-api-key': asked.key },
        'x-platform': platformOf(query['platform']) ?? key.platform ?? (app.platform === 'both' ? 'all' : app.platform),
        'x-app-version': header(headers, 'x-app-version'),
        // Clients in native code send no version.
        'x-current-version': currentVersion(query['version']),
      },
      named,
      true,
    );
    return selected === undefined ? NOTHING_NEW : offer(selected.build);
  };

  function currentVersion(sent: unknown): string {
    const text = textOf(sent);
    return text !== undefined && versionOf(text) !== undefined ? text : '0.0.0';
  }

  function offer(build: ServedBuild): PreparedAnswer {
    const expires = urls.expiry();
    const known = offers.get(build);
    if (known?.expires === expires) return known.answer;
    const { version, checksum, signature, releaseNotes: notes, minNativeVersion } = build.facts;
    const url = urls.sign(build.facts, expires);
    const answer = prepareAnswer(200, {
      ...{ available: true, version, url, bundleUrl: url, downloadUrl: url, checksum },
      ...(signature !== null && { signature }),
      ...(notes !== null && { notes, releaseNotes: notes, description: notes }),
      ...(minNativeVersion !== null && { minAppVersion: minNativeVersion }),
    });
    offers.set(build, { expires, answer });
    return answer;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The client in JavaScript sends `web`, also in a native app. */
function platformOf(value: unknown): string | undefined {
  return value === 'ios' || value === 'android' ? value : undefined;
}
