import type { IncomingMessage } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { header } from '../../access/device-headers';
import { HOT_UPDATER_BASE } from '../../http/compat-planes';
import { sendPrepared } from '../../http/send-prepared';
import { prepareAnswer, type PreparedAnswer } from '../../serving/prepared-answer';
import type { HotUpdaterCheck, HotUpdaterRequest } from './hot-updater-check';

export interface HotUpdaterOptions {
  readonly check: HotUpdaterCheck;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

type Params = Readonly<Record<string, string | undefined>>;

const REST = ':platform/:target/:channel/:minBundleId/:bundleId';

/**
 * Registers the protocol of hot-updater's clients on a scope of their own, with the app key in the path:
 * `GET /{key}/app-version/…` and `GET /{key}/fingerprint/…`, and of those until 0.23 `GET /{key}`, with headers.
 */
export function registerHotUpdaterRoutes(plane: FastifyInstance, { check, refuse }: HotUpdaterOptions): void {
  plane.setErrorHandler((error, request, reply) => {
    reply.hijack();
    sendPrepared(hotUpdaterRefusal(refuse(error, request)), request.raw, reply.raw);
  });
  for (const strategy of ['app-version', 'fingerprint']) {
    for (const path of [`/:key/${strategy}/${REST}`, `/:key/${strategy}/${REST}/:cohort`]) {
      plane.get(path, (request, reply) => answer(request, reply, inPath(strategy, request.params as Params)));
    }
  }
  plane.get('/:key', (request, reply) => answer(request, reply, inHeaders(request.raw)));

  async function answer(
    request: FastifyRequest,
    reply: { readonly hijack: () => unknown; readonly raw: Parameters<typeof sendPrepared>[2] },
    asked: HotUpdaterRequest,
  ): Promise<void> {
    const made = await check(request.raw, (request.params as { readonly key: string }).key, asked);
    reply.hijack();
    sendPrepared(made, request.raw, reply.raw);
  }
}

/** Any status but 200 is an error to clients, and they read no body of it. */
export function hotUpdaterRefusal({ status, headers, body }: ErrorReply): PreparedAnswer {
  return prepareAnswer(status, body, headers);
}

function inPath(strategy: string, params: Params): HotUpdaterRequest {
  const { platform = '', target = '', channel = '', minBundleId = '', bundleId = '', cohort } = params;
  const [appVersion, fingerprint] = strategy === 'fingerprint' ? [undefined, target] : [target, undefined];
  return { platform, appVersion, fingerprint, channel, minBundleId, bundleId, cohort };
}

const PART = '([^/?#%]{1,256})';
const USUAL_PATH = new RegExp(
  `^${HOT_UPDATER_BASE}/([\\w-]+)/(app-version|fingerprint)/${Array(5).fill(PART).join('/')}(?:/${PART})?$`,
);

/** A check whose path has no encoded character, as nearly all are; undefined for anything else. */
export function readHotUpdaterPath(url: string): (HotUpdaterRequest & { readonly segment: string }) | undefined {
  const found = USUAL_PATH.exec(url);
  if (found === null) return undefined;
  const [, segment = '', strategy = '', platform, target, channel, minBundleId, bundleId, cohort] = found;
  return { segment, ...inPath(strategy, { platform, target, channel, minBundleId, bundleId, cohort }) };
}

/** @throws ValidationError for one that is missing */
function inHeaders({ headers }: Pick<IncomingMessage, 'headers'>): HotUpdaterRequest {
  const [appVersion, fingerprint] = [header(headers, 'x-app-version'), header(headers, 'x-fingerprint-hash')];
  const required = ['x-app-platform', 'x-bundle-id', 'x-min-bundle-id'] as const;
  const missing = required.filter((name) => header(headers, name) === undefined);
  const errors = Object.fromEntries(missing.map((name) => [name, [`The header ${name} is required.`]]));
  if (appVersion === undefined && fingerprint === undefined) {
    errors['x-app-version'] = ['The header x-app-version or x-fingerprint-hash is required.'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return {
    platform: header(headers, 'x-app-platform') ?? '',
    // Clients with a fingerprint also send their version, which is then of no effect.
    appVersion: fingerprint === undefined ? appVersion : undefined,
    fingerprint,
    channel: header(headers, 'x-channel') ?? '',
    minBundleId: header(headers, 'x-min-bundle-id') ?? '',
    bundleId: header(headers, 'x-bundle-id') ?? '',
    cohort: undefined,
  };
}
