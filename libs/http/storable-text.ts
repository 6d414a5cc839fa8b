import { isStorableText, toStorableText, ValidationError } from '@sluice/kernel';
import { parseJsonBody, refuseManyValues } from './json-body';

/** Only as these escapes does JSON spell a character that can't be stored: decoding UTF-8 gives none, and NUL ends JSON. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

/**
 * A JSON body of at most 50,000 values whose texts are all storable.
 * @throws DomainError PAYLOAD_TOO_LARGE, INVALID_JSON; ValidationError that names the first member which is not
 */
export function parseStorableJson(text: string): unknown {
  refuseManyValues(text);
  const body = parseJsonBody(text);
  if (SUSPECT.test(text)) refuseUnstorable(body);
  return body;
}

/**
 * A JSON body in whose texts each character that can't be stored is U+FFFD: of a client that can't be
 * updated, and whose report counts more than its wording.
 * @throws DomainError INVALID_JSON
 */
export function parseRepairedJson(text: string): unknown {
  const body = parseJsonBody(text);
  if (SUSPECT.test(text)) {
    for (const { object, member, value } of membersOf(body)) {
      if (typeof value === 'string') object[member] = toStorableText(value);
    }
  }
  return body;
}

/** @throws ValidationError that names the first member of a value, at any depth, whose name or text can't be stored */
export function refuseUnstorable(given: unknown): void {
  for (const place of membersOf(given)) {
    const { member, value } = place;
    if (isStorableText(member) && (typeof value !== 'string' || isStorableText(value))) continue;
    throw new ValidationError({
      [toStorableText(pathOf(place))]: [
        'Text must not contain a NUL character (\\u0000) or half of a surrogate pair (\\ud800 to \\udfff). Remove it.',
      ],
    });
  }
}

interface Place {
  readonly object: Record<string, unknown>;
  readonly member: string;
  readonly value: unknown;
  readonly above: Place | undefined;
}

/** Each member of a JSON value, at any depth. Not recursive: a body may be deeper than the stack. */
function* membersOf(value: unknown): Generator<Place> {
  const remaining: { readonly object: unknown; readonly above: Place | undefined }[] = [
    { object: { body: value }, above: undefined },
  ];
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    const object = next.object as Record<string, unknown>;
    for (const member of Object.keys(object)) {
      const place: Place = { object, member, value: object[member], above: next.above };
      yield place;
      if (typeof place.value === 'object' && place.value !== null)
        remaining.push({ object: place.value, above: place });
    }
  }
}

/** Such as `rates.0.name`, without the `body` in which all of it lies; a long one is cut. */
function pathOf(place: Place): string {
  const path: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.above) path.push(at.member);
  return path.length === 1 ? 'body' : path.reverse().slice(1).join('.').slice(0, MAX_PATH_LENGTH);
}

const MAX_PATH_LENGTH = 255;
