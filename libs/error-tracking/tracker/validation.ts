import type { ProviderId } from './configuration.js';
import { record } from './sanitise.js';

/** What is wrong with a value, as the end of a sentence that begins with its name. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const callable: Check = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const filled: Check = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'is required and must be a string that is not blank';
const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be an array of strings';
const rate: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1';
const dsn: Check = (value) =>
  filled(value) ??
  (/^https?:\/\/\w+(:\w*)?@[\w.:[\]-]+\/([^?#]*\/)?\d+$/.test(value as string)
    ? undefined
    : 'must have the form https://KEY@HOST/PROJECT');
const slug: Check = (value) =>
  filled(value) ?? (/^[^/\s]+\/[^/\s]+$/.test(value as string) ? undefined : 'must have the form <org>/<app>');
const collector: Check = (value) =>
  value === undefined ? "is missing, and App Center's own host is no more" : origin(value);
const origin: Check = (value) => {
  try {
    const url = new URL(value as string);
    if (/^https?:$/.test(url.protocol) && value === url.origin) return undefined;
  } catch {
    // Said below.
  }
  return 'must be an origin such as https://errors.example.com';
};

type Block = Readonly<Record<string, Check | Readonly<Record<string, Check>>>>;

const REQUIRED: readonly Check[] = [filled, dsn, slug, collector];

const BLOCKS: Readonly<Record<ProviderId, Block>> = {
  provider_1: { dsn, environment: text, release: text, tracesSampleRate: rate, attachStacktrace: flag },
  provider_2: {},
  provider_3: { clientToken: filled, applicationId: filled, site: text, service: text, env: text, endpoint: origin },
  provider_4: { apiKey: filled, releaseStage: text, enabledReleaseStages: texts, appVersion: text, endpoint: origin },
  provider_5: {
    accessToken: filled,
    environment: text,
    captureUncaught: flag,
    captureUnhandledRejections: flag,
    endpoint: origin,
  },
  provider_6: {
    appId: slug,
    shouldCaptureIP: flag,
    network: { isEnabled: flag, requestSanitizer: callable },
    endpoint: origin,
  },
  provider_7: {
    apiKey: filled,
    version: text,
    enableCrashReporting: flag,
    enableRealUserMonitoring: flag,
    endpoint: origin,
  },
  provider_8: {
    appSecret: filled,
    analytics: { enableAutoPageTracking: flag },
    crashes: { askBeforeSending: flag, confirm: callable },
    endpoint: collector,
  },
};

export function isProviderId(id: unknown): id is ProviderId {
  return typeof id === 'string' && Object.hasOwn(BLOCKS, id);
}

/** Why a block can't be used, naming the field; undefined when it can. */
export function faultOf(id: ProviderId, block: unknown): string | undefined {
  if (!record(block)) return `${id} is off: its block errorTracking.${id} is missing`;
  const fault = faultIn(BLOCKS[id], block as Readonly<Record<string, unknown>>, '');
  return fault && `${id} is off: ${fault}`;
}

function faultIn(checks: Block, values: Readonly<Record<string, unknown>>, path: string): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    const value = values[name];
    if (typeof check === 'function') {
      if (value === undefined && !REQUIRED.includes(check)) continue;
      const fault = check(value);
      if (fault) return `${path}${name} ${fault}`;
    } else if (value !== undefined) {
      const members = record(value);
      if (!members) return `${path}${name} must be an object`;
      const fault = faultIn(check, members, `${path}${name}.`);
      if (fault) return fault;
    }
  }
  return undefined;
}
