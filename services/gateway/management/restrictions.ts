import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { characters } from '@sluice/contracts';
import { ValidationError } from '@sluice/kernel';
import { z } from 'zod';
import { channelField } from './app-channels';
import { unchangeable } from './schemas';

const MAX_ENTRIES = 100;
const MAX_FINGERPRINTS = 20;
const MAX_ORIGIN_LENGTH = 255;
const MAX_IDENTITY_LENGTH = 155;

const local = new BlockList();
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  local.addSubnet(address, bits, 'ipv4');
}
local.addAddress('::1', 'ipv6');
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

/**
 * The origin as browsers send it: scheme and host in small letters, no default port. An exact origin of
 * http (local hosts alone) or https, or `https://*.<domain>`; undefined for anything else.
 */
export function canonicalOrigin(text: string): string | undefined {
  const [, scheme, wildcard = '', authority = ''] = /^(https?):\/\/(\*\.)?([^/\\?#@*\s]+)$/i.exec(text) ?? [];
  if (scheme === undefined || /[\p{Cc}:]$/u.test(authority) || !URL.canParse(`${scheme}://${authority}`))
    return undefined;
  const { protocol, hostname, host } = new URL(`${scheme}://${authority}`);
  const isAddress = isIPv4(hostname) || hostname.startsWith('[');
  if (wildcard !== '') {
    return protocol === 'https:' && !isAddress && /[^.]\.[^.]/.test(hostname) ? `https://*.${host}` : undefined;
  }
  return protocol === 'https:' || isLocal(hostname) ? `${protocol}//${host}` : undefined;
}

function isLocal(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  if (isIPv4(hostname)) return local.check(hostname, 'ipv4');
  const address = hostname.slice(1, -1);
  return hostname.startsWith('[') && isIPv6(address) && local.check(address, 'ipv6');
}

const ORIGIN_RULE =
  'An origin must be exact, as https://app.example.com (http:// for local hosts alone), or of the form https://*.example.com.';

const origin = z
  .string(ORIGIN_RULE)
  .check(characters(0, MAX_ORIGIN_LENGTH, `An origin must have at most ${MAX_ORIGIN_LENGTH} characters.`))
  .describe(ORIGIN_RULE)
  .meta({ pattern: '^[hH][tT]{2}[pP][sS]?://(?:\\*\\.)?[^/\\\\?#@*\\s]+$' })
  .transform((text, context) => {
    const canonical = canonicalOrigin(text);
    if (canonical !== undefined) return canonical;
    context.addIssue({ code: 'custom', message: ORIGIN_RULE });
    return z.NEVER;
  });

const identity = (field: string) => {
  const rule = `The ${field} must be text of 1 to ${MAX_IDENTITY_LENGTH} characters without spaces.`;
  return z
    .string(rule)
    .max(MAX_IDENTITY_LENGTH, rule)
    .regex(/^[\x21-\x7e]+$/, rule);
};

const fingerprints = (field: string, bytes: number) => {
  const rule = `Each ${field} must be a fingerprint of ${bytes} bytes in hexadecimal digits, with or without colons.`;
  const fingerprint = z.string(rule).regex(new RegExp(`^[0-9A-Fa-f]{2}(?::?[0-9A-Fa-f]{2}){${bytes - 1}}$`), rule);
  return atMost(MAX_FINGERPRINTS, fingerprint, field);
};

const list = (field: string) => `The ${field} must be a list.`;

const atMost = <Entry extends z.ZodType>(most: number, entry: Entry, field: string) =>
  z.array(entry, list(field)).max(most, `The ${field} must have at most ${most} entries.`);

/** Replaces the whole set; a kind left out is cleared, so a body that was lost on its way must not count as `{}`. */
export const restrictionsBody = z
  .object(
    {
      origins: atMost(MAX_ENTRIES, origin, 'origins').optional(),
      android: atMost(
        MAX_ENTRIES,
        z.object({
          package_name: identity('package_name'),
          sha256: fingerprints('sha256', 32).optional(),
          sha1: fingerprints('sha1', 20).optional(),
        }),
        'android',
      ).optional(),
      ios: atMost(
        MAX_ENTRIES,
        z.object({ bundle_id: identity('bundle_id'), team_id: identity('team_id').optional() }),
        'ios',
      ).optional(),
      channels: atMost(MAX_ENTRIES, channelField('channels'), 'channels')
        .optional()
        .describe(
          'Checks and reports with the key are accepted for these channels of the app only. Omitted or empty: for all.',
        ),
      ...unchangeable('id', 'name', 'key_preview', 'status', 'recoverable', 'unrestricted', 'created_at', 'rotated_at'),
      ...unchangeable('blocked_count', 'last_blocked_at', 'last_blocked_reason', 'last_used_at', 'last_check'),
      ...unchangeable('revision'),
    },
    'Send the restrictions as a JSON object with origins, android, ios or channels. {} removes every restriction.',
  )
  .meta({
    anyOf: [...['origins', 'android', 'ios', 'channels'].map((kind) => ({ required: [kind] })), { maxProperties: 0 }],
  });

/**
 * Unknown members are ignored if known ones are present. Alone, they would open the key to every caller.
 * @param body as it was sent
 * @throws ValidationError
 */
export function restrictionsOf({ origins, android, ios, channels }: z.output<typeof restrictionsBody>, body: unknown) {
  const sent = Object.keys(body as object);
  if (sent.length > 0 && [origins, android, ios, channels].every((kind) => kind === undefined)) {
    const names = sent.slice(0, 5).join(', ');
    throw new ValidationError({
      body: [`Send origins, android, ios or channels; {} removes every restriction. Received: ${names}.`],
    });
  }
  return { origins, android, ios, channels };
}
