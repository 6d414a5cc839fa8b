import { isIP } from 'node:net';
import { z } from 'zod';

// The kinds of values that settings have. Each parses the text of an environment variable.

export const wholeNumber = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

export const integer = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  wholeNumber(min, max).default(fallback);

export const notEmpty = z.string().min(1, 'must not be empty');

export const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine((text) => schemes.some((scheme) => text.startsWith(scheme)), `must begin with ${schemes.join(' or ')}`);

export const delays = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => /^\d+(,\d+)*$/.test(text), 'must be milliseconds separated by commas')
    .transform((text): readonly number[] => text.split(',').map(Number));

export const onOrOff = (fallback: boolean) =>
  z
    .enum(['true', 'false', 'on', 'off', '1', '0'], { error: 'must be true or false' })
    .transform((text) => text === 'true' || text === 'on' || text === '1')
    .default(fallback);

const listOf = (part: (text: string) => boolean, message: string) =>
  z
    .string()
    .transform((text): readonly string[] => text.split(',').map((name) => name.trim()))
    .refine((list) => list.every(part), message)
    .default([]);

export const names = listOf((name) => /^[a-z0-9_]+$/.test(name), 'must be names separated by commas');

export const networks = listOf(isNetwork, 'must be networks separated by commas, for example 10.0.0.0/8,fd00::/8');

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    bits > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

/** First part of a plane's paths, or of a hook's name. */
export const pluginName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'may hold 1 to 40 lower-case letters, digits, _ and -, and begins with a letter');

export const httpOrigin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((text) => text.replace(/\/+$/, ''));

export const bareOrigin = httpOrigin.refine(
  (text) => new URL(text).pathname === '/' && new URL(text).search === '',
  'must be an address without a path: signatures hold the path',
);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An address that tokens, keys or products are fetched from or sent to. */
export const remoteAddress = httpOrigin.refine(
  (text) => new URL(text).protocol === 'https:' || LOOPBACK.test(new URL(text).hostname),
  'must be an https address; plain http is for loopback alone',
);

/** `mongodb+srv` takes its servers from DNS; user and password are percent-encoded; a path names the database. */
const MONGODB_URL = /^mongodb(\+srv)?:\/\/([^@/?#\s]+@)?[^@/?#\s]+(\/[A-Za-z0-9_-]{0,63})?(\?[^#\s]*)?$/;

export const documentStoreUrl = url(['sqlite:', 'mongodb://', 'mongodb+srv://']).refine(
  (text) => text.startsWith('sqlite:') || MONGODB_URL.test(text),
  'must read mongodb://USER:PASSWORD@host:27017/database or mongodb+srv://…, USER and PASSWORD percent-encoded',
);

/** A key, a secret, a host and a bucket; a region where it is not us-east-1, a session token with temporary keys. */
const S3_OPTION = '(region=[a-z0-9-]+|session_token=[^&#\\s]+)';
const S3_URL = new RegExp(
  `^(minios?|s3)://[^:@/?#\\s]+:[^@/?#\\s]+@[^@/?#\\s]+/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\\?${S3_OPTION}(&${S3_OPTION})?)?$`,
);

export const objectStoreUrl = url(['file:', 'minio://', 'minios://', 's3://']).refine(
  (text) => text.startsWith('file:') || S3_URL.test(text),
  'must read minio://KEY:SECRET@host:9000/bucket, minios://KEY:SECRET@host/bucket or s3://KEY:SECRET@host/bucket?region=…&session_token=…, all percent-encoded',
);
