import { expectDescribed } from '../support/conformity';
import type { DescribedRequest } from './described-requests';

/** A whole response; of one that never ends, its head. */
export interface DescribedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Rules that JSON Schema can't say: by what the server answers, and by the words in which a description states them.
 * `sent`: what a request holds that meets such a rule.
 */
const STATED: readonly { readonly answer: RegExp; readonly words: RegExp; readonly sent?: RegExp }[] = [
  { answer: /^The from must not be later than the to\./, words: /[Nn]ot later than/ },
  { answer: /must be a day from 2000-01-01 to /, words: /are from 2000-01-01 to 366 days from now/ },
  { answer: /^The range must have at most 366 days/, words: /at most 366 days in all/ },
  { answer: /^The expires_at must be in the future, at most 365 days/, words: /in the future, at most 365 days/ },
  { answer: /^The as_of must not be in the future/, words: /Not in the future/ },
  { answer: /^The expires_at must be in the future/, words: /a time in the future/ },
  { answer: /^Paging is limited to 100000 entries/, words: /Paging is limited to 100000 entries/ },
  {
    answer: /must be a version|must be one like 1\.2\.3/,
    words: /No number in it is above 9007199254740991/,
    sent: /\d{16}/,
  },
  { answer: /^An origin must be exact/, words: /An origin must be exact/ },
  { answer: /at most 262144 bytes as JSON/, words: /At most 262144 bytes as JSON/ },
  { answer: /has a rate for this service already/, words: /one rate for each service/ },
  { answer: /^This country has a rate already/, words: /A country has one rate\./ },
  { answer: /^This category is mapped already/, words: /A category is mapped once/ },
  { answer: /is no currency|has more decimals|more than can be listed/, words: /its currency of ISO 4217 has/ },
  { answer: /^There is no app "/, words: /of the owner’s apps/ },
  { answer: /^Send plan or rollout_percentage/, words: /Not together with rollout_percentage/ },
  { answer: /^The native_range must be a semver range/, words: /A semver range, for example/ },
  { answer: /^The native_range includes no version/, words: /that includes at least one version/ },
  { answer: /^Send min_native_version or native_range/, words: /Not together with min_native_version/ },
  { answer: /^The percentages must rise/, words: /The percentages must rise from step to step/ },
  { answer: /must be the name of a time zone/, words: /a name of the IANA time zone database/ },
  { answer: /is not later than its `from`/, words: /Later than `from`/ },
  { answer: /is the one to recall/, words: /Another build of the channel, which devices get/ },
  { answer: /so it takes no version/, words: /Leave it out where no build is republished/ },
  { answer: /is not above .*, the highest one/, words: /It must be above every version of the channel/ },
  { answer: /must be (one of )?production, staging/, words: /[Aa](nother)? channel of the app/ },
  { answer: /is the name of a channel/, words: /An alias must not be the name of a channel/ },
  { answer: /of the app that devices may choose/, words: /A channel of the app that devices may choose/ },
  {
    answer: /^The app declares no attribute|^The attribute ".*" is/,
    words: /By the name of an attribute that the app declares/,
  },
  { answer: /must be a semver range that/, words: /A range is a semver range that a version can be in/ },
  { answer: /^The audience must have at least one rule/, words: /The audience must have at least one rule/ },
  { answer: /^An audience with pinned_only must have no other rule/, words: /It then has no other rule/ },
  { answer: /^The app has no device group/, words: /Names of device groups of the app/ },
  { answer: /^An app may declare at most 8/, words: /An app may declare at most 8 attributes/ },
  { answer: /^Line \d+: |holds no device id/, words: /one device ID in each line/ },
  { answer: /carries this signature already/, words: /no other version may have the same signature/ },
];

/** Statuses with which a request is rejected for its form before it is looked at further. */
const OF_FORM: ReadonlySet<number> = new Set([400, 413, 415, 422, 431]);
/** Their URL proves the caller's right, so one that is malformed is rejected as wrong. */
const PROVED_BY_URL: ReadonlySet<string> = new Set(['downloadBundle', 'headBundle', 'completeConnect']);

/** What the description of an operation and the answer of the server disagree on; undefined: nothing. */
export function disagreement(request: DescribedRequest, answer: DescribedAnswer): string | undefined {
  const { operation, wrong } = request;
  const { status, text, contentType } = answer;
  const isJson = contentType.startsWith('application/json');
  let body: unknown;
  try {
    body = isJson && text !== '' ? JSON.parse(text) : undefined;
    const url = new URL(request.target, 'http://fuzz');
    // What is no JSON is described as bytes.
    if (isJson || status >= 400) expectDescribed(operation.method, url.href, status, body);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (status >= 500 && status !== 502) return `a fault of the server: ${status} ${text}`;
  if (status === 431 && isLarge(request)) return undefined;
  const messages = messagesIn(body);
  const ofForm = OF_FORM.has(status) && (status !== 422 || messages !== undefined);
  if (wrong !== undefined) {
    const notThere = status === 404 && wrong.startsWith('path ');
    if (ofForm || notThere || (status >= 400 && PROVED_BY_URL.has(operation.id))) return undefined;
    return `the ${wrong} does not fit, and is not rejected for it: ${status} ${text}`;
  }
  if (!ofForm || (status === 400 && PROVED_BY_URL.has(operation.id))) return undefined;
  const sent = `${decodeURIComponent(request.target)} ${request.headers.join(' ')} ${request.body.toString()}`;
  const unstated = (messages ?? [text]).filter(
    (message) =>
      !STATED.some(
        (rule) =>
          rule.answer.test(message) &&
          rule.words.test(operation.text) &&
          (rule.sent === undefined || rule.sent.test(sent)),
      ),
  );
  return unstated.length === 0 ? undefined : `all of it fits, and it is rejected: ${status} ${unstated.join(' ')}`;
}

/** The descriptions say how large address and headers may be. */
function isLarge({ operation, target, headers }: DescribedRequest): boolean {
  const bytes = target.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return bytes > 15 * 1024 && operation.text.includes('at most 16 KiB together');
}

/** Of a body that names the faults of fields, on any plane. */
function messagesIn(body: unknown): readonly string[] | undefined {
  const { errors, data } = (body ?? {}) as { errors?: object; data?: { errors?: object } | null };
  const named = errors ?? data?.errors;
  return named === undefined ? undefined : (Object.values(named) as string[][]).flat();
}
