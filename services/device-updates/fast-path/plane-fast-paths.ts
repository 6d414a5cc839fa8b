import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { type CapawesomeCheck, capawesomeRefusal } from '../compat/capawesome/capawesome.routes';
import { type CapgoCheck, capgoRefusal } from '../compat/capgo/capgo-check';
import { type CodePushCheck, codePushRefusal } from '../compat/codepush/codepush-check';
import { checkPath } from '../compat/codepush/codepush.routes';
import { type ExpoCheck, expoRefusal } from '../compat/expo/expo-check';
import type { HotUpdaterCheck } from '../compat/hot-updater/hot-updater-check';
import { hotUpdaterRefusal, readHotUpdaterPath } from '../compat/hot-updater/hot-updater.routes';
import { type NativeUpdateCheck, nativeUpdateRefusal } from '../compat/native-update/native-update.routes';
import { CAPAWESOME_BASE, CAPGO_BASE, CODEPUSH_BASE, EXPO_BASE, NATIVE_UPDATE_BASE } from '../http/compat-planes';
import { COMPAT_BASE } from '../http/unrouted';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import { plainQuery, planeFastPath, type PlaneFastPathOptions } from './plane-fast-path';

export interface PlanesOfOthers {
  readonly capawesome: CapawesomeCheck;
  readonly capgo: CapgoCheck;
  readonly codePush: CodePushCheck;
  readonly expo: ExpoCheck;
  readonly hotUpdater: HotUpdaterCheck;
  readonly nativeUpdate: NativeUpdateCheck;
}

/** Answers update checks of each protocol in its usual spelling. Returns false, without any effect, for anything else. */
export function planeFastPaths(checks: PlanesOfOthers, options: PlaneFastPathOptions) {
  const { capawesome, capgo, codePush, expo, hotUpdater, nativeUpdate } = checks;
  const paths = [
    planeFastPath(
      {
        method: 'POST',
        read: reader(new RegExp(`^${CAPGO_BASE}/([\\w-]+)/updates$`)),
        check: (request, { segment }, body) => capgo(request, segment, body),
        refusal: (reply) => asPrepared(capgoRefusal(reply)),
      },
      options,
    ),
    planeFastPath(
      {
        method: 'GET',
        read: reader(new RegExp(`^${EXPO_BASE}/([\\w-]+)$`)),
        check: (request, { segment }) => expo(request, segment),
        refusal: (reply) => asPrepared(expoRefusal(reply)),
      },
      options,
    ),
    planeFastPath(
      {
        method: 'GET',
        read: reader(new RegExp(`^${CODEPUSH_BASE}${checkPath('snake')}()\\?(.*)$`)),
        check: (request, { query }) => codePush(request, query, 'snake'),
        refusal: codePushRefusal,
      },
      options,
    ),
    planeFastPath(
      {
        method: 'GET',
        read: readHotUpdaterPath,
        check: (request, { segment, ...asked }) => hotUpdater(request, segment, asked),
        refusal: hotUpdaterRefusal,
      },
      options,
    ),
    planeFastPath(
      {
        method: 'GET',
        read: reader(new RegExp(`^${CAPAWESOME_BASE}/v1/apps/([\\w-]+)/bundles/latest\\?(.*)$`)),
        check: (request, { segment, query }) => capawesome(request, segment, query),
        refusal: capawesomeRefusal,
      },
      options,
    ),
    planeFastPath(
      {
        method: 'GET',
        read: reader(new RegExp(`^${NATIVE_UPDATE_BASE}/([\\w-]+)/check\\?(.*)$`)),
        check: (request, { segment, query }) => nativeUpdate(request, segment, query),
        refusal: nativeUpdateRefusal,
      },
      options,
    ),
  ];
  return (request: IncomingMessage, response: ServerResponse): boolean =>
    request.url?.startsWith(COMPAT_BASE) === true && paths.some((path) => path(request, response));
}

/** @param path with the app key's segment in its first group, and the query, if any, in its second */
function reader(path: RegExp) {
  return (url: string) => {
    const found = path.exec(url);
    if (found === null) return undefined;
    const [, segment = '', text] = found;
    const query = text === undefined ? {} : plainQuery(text);
    return query && { segment, query };
  };
}

function asPrepared({ status, headers, body }: Pick<ErrorReply, 'status' | 'headers' | 'body'>): PreparedAnswer {
  return prepareAnswer(status, body, headers);
}
