import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorReply, UNCACHED } from '@sluice/http';
import type { FastifyInstance } from 'fastify';
import { authenticate, header } from '../access/device-headers';
import type { DownloadUrls } from '../downloads/download-urls';
import { sendPrepared } from '../http/send-prepared';
import { rememberingVersions } from '../serving/domain/remembering-versions';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import type { ServedBuild } from '../serving/served-builds';
import { decideUpdate, type DecisionOptions } from '../update-check/update-check.route';
import { channelNamed, urlKeyOf } from './url-key';

export interface NativeUpdateOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

// The client for Android takes any JSON of a 2xx for an update.
const NOTHING_NEW = prepareAnswer(404, { available: false });

/**
 * Registers the protocol of native-update from 1.3 to 3.1.2 on a scope of its own, with the app key in the path:
 * `GET /{key}/check`. Later versions send what Sluice's own update check reads.
 */
export function registerNativeUpdateRoutes(plane: FastifyInstance, options: NativeUpdateOptions): void {
  const { index, usage, urls, refuse } = options;
  const decide = decideUpdate(options);
  const versionOf = rememberingVersions();
  const offers = new WeakMap<ServedBuild, { readonly expires: number; readonly answer: PreparedAnswer }>();

  plane.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = refuse(error, request);
    return reply
      .code(status)
      .headers({ ...UNCACHED, ...headers })
      .send({ available: false, ...body });
  });

  plane.get('/:key/check', (request, reply) => {
    const { key: segment } = request.params as { readonly key: string };
    const answer = check(request.headers, segment, request.query as Readonly<Record<string, unknown>>);
    reply.hijack();
    sendPrepared(answer, request.raw, reply.raw);
  });

  function check(
    headers: IncomingHttpHeaders,
    segment: string,
    query: Readonly<Record<string, unknown>>,
  ): PreparedAnswer {
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
  }

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
