import { channelNameSchema } from '@sluice/contracts';
import { InvalidArgumentError } from './commander';

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const LONGEST_MS = 100 * 366 * 86_400_000;

/**
 * Parses `90s`, `15m`, `12h` or `30d` into milliseconds.
 * @throws InvalidArgumentError for anything else, zero, and more than a hundred years
 */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,12})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * SECONDS[unit as keyof typeof SECONDS] * 1_000;
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds;
  throw new InvalidArgumentError('It must be a whole number and a unit: 90s, 15m, 12h or 30d.');
}

/** Makes a parser of whole numbers between two bounds, both allowed. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${min}.`
        : `It must be a whole number from ${min} to ${max}.`,
    );
  };
}

export const parseId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** The server decides whether the app has the channel. */
export function parseChannel(text: string): string {
  const { data, error } = channelNameSchema.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError(error.issues.map(({ message }) => message).join(' '));
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
