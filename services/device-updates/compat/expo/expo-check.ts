import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type ErrorReply, UNCACHED } from '@sluice/http';
import { authenticate } from '../../access/device-headers';
import type { PreparedAnswer } from '../../serving/prepared-answer';
import type { ReleaseTimes } from '../../serving/release-times';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServingApp } from '../../serving/serving.projection';
import { decideUpdate, type DecisionOptions } from '../../update-check/update-check.route';
import { type ExpoRequest, expoRequestOf } from './expo-request';
import { buildIdIn, type UpdatePlatform, updateIdOf } from './expo-update-id';
import { EXPO_HEADERS, expoAnswer, type ExpoUpdates } from './expo-updates';
import type { InferredReports } from '../inferred-reports';
import { channelNamed, urlKeyOf } from '../url-key';

export interface ExpoCheckOptions extends DecisionOptions {
  readonly updates: ExpoUpdates;
  readonly times: ReleaseTimes;
  readonly reports: InferredReports;
}

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/** @param segment of the path, with the app key. @throws as an UpdateCheck, and as ExpoUpdates */
export type ExpoCheck = (request: Request, segment: string) => PreparedAnswer | Promise<PreparedAnswer>;

const NOTHING_NEW = expoAnswer(204, '');
const NO_ERROR_SENT = 'Listed in Expo-Recent-Failed-Update-IDs';

/** Requests for a manifest by Expo's clients. */
export function expoCheck({ updates, times, reports, ...options }: ExpoCheckOptions): ExpoCheck {
  const { index, usage } = options;
  const decide = decideUpdate(options);

  return (request, segment) => {
    const key = urlKeyOf(index, segment);
    const known = index.key(key.key);
    // An unknown key is rejected before anything else of the request is judged; the decision authenticates the others.
    const app = (known && index.app(known.appId)) ?? authenticate(index, usage, keyHeaders(request, key.key)).app;
    const expo = expoRequestOf(request.headers);
    const named = channelNamed(index, key, expo.channel ?? key.channel);
    // Any text may be the name of a channel of Expo's.
    if (named !== undefined && index.channel(app.appId, named) === undefined) {
      authenticate(index, usage, keyHeaders(request, key.key));
      return NOTHING_NEW;
    }
    const running = runningUpdate(index, app, expo);
    const headers = headersOf(request, key.key, expo, running?.version ?? '0.0.0');
    const { selected, rollBackToEmbedded, channel } = decide(headers, named);
    const failed = expo.failedIds.flatMap((id) => buildOf(index, app, expo.platform, id) ?? []);
    reports(request, {
      headers,
      deviceId: expo.clientId,
      running: running?.build,
      failed,
      error: expo.fatalError ?? NO_ERROR_SENT,
    });
    // Known of the device once the report of this check is stored.
    if (selected !== undefined && failed.includes(selected.build)) return NOTHING_NEW;
    if (selected !== undefined) {
      return isLater(selected.build, running?.build) ? updates.offer(selected.build, expo.platform, expo) : NOTHING_NEW;
    }
    const commitTime = rollBackToEmbedded ? times.ofRecallToEmbedded(app.appId, channel) : undefined;
    // Only a multipart response can carry a directive.
    if (commitTime === undefined || expo.type !== 'multipart/mixed') return NOTHING_NEW;
    return updates.rollBackToEmbedded(app.appId, commitTime, expo);
  };

  /** Clients take no other update: a build that was released earlier, and resumed since, is none for them. */
  function isLater(selected: ServedBuild, running: ServedBuild | undefined): boolean {
    const before = running && times.of(running);
    return before === undefined || (times.of(selected) ?? 0) > before;
  }
}

interface Running {
  readonly version: string;
  /** Undefined: it is deleted. */
  readonly build?: ServedBuild;
}

type Builds = Pick<DecisionOptions['index'], 'builds'>;

/** Undefined: the bundle inside the native app, or an update of another server. */
function runningUpdate(index: Builds, app: ServingApp, { currentId, platform }: ExpoRequest): Running | undefined {
  if (currentId === undefined) return undefined;
  const build = buildOf(index, app, platform, currentId);
  if (build !== undefined) return { version: build.facts.version, build };
  const buildId = buildIdIn(currentId);
  // A deleted build that was recalled still moves the devices that run it.
  return buildId === undefined || index.builds.find(buildId) !== undefined
    ? undefined
    : index.builds.recalls.find(app.appId, buildId);
}

function buildOf(
  { builds }: Builds,
  { appId }: ServingApp,
  platform: UpdatePlatform,
  updateId: string,
): ServedBuild | undefined {
  const buildId = buildIdIn(updateId);
  const build = buildId === undefined ? undefined : builds.find(buildId);
  return build?.facts.appId === appId && updateIdOf(build, platform) === updateId ? build : undefined;
}

function keyHeaders({ headers }: Request, key: string): IncomingHttpHeaders {
  return { origin: headers.origin, 'x-api-key': key };
}

/** The headers by which a client of Sluice sends the same. */
function headersOf(
  { headers }: Request,
  key: string,
  { platform, clientId, runtimeVersion }: ExpoRequest,
  version: string,
): IncomingHttpHeaders {
  return {
    origin: headers.origin,
    'x-forwarded-for': headers['x-forwarded-for'],
    'x-api-key': key,
    'x-device-id': clientId,
    'x-platform': platform,
    'x-current-version': version,
    'x-bundle-version': version,
    'x-native-fingerprint': runtimeVersion,
  };
}

/** A rejection. Clients log its body, and start what they have. */
export function expoRefusal({ status, headers, body }: ErrorReply): Pick<ErrorReply, 'status' | 'headers' | 'body'> {
  return { status, headers: { ...EXPO_HEADERS, ...UNCACHED, ...headers }, body };
}
