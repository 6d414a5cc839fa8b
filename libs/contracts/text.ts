import { hasCharacters } from '@sluice/kernel/text';
import { z } from 'zod';

/**
 * A check of a text's length: from `min` to `max` characters, counted as descriptions count them. zod's own `min` and
 * `max` count most emoji twice.
 */
export function characters(min: number, max: number, message: string): z.core.$ZodCheck<string> {
  const check = z.check<string>(({ value, issues }) => {
    if (!hasCharacters(value, min, max)) issues.push({ code: 'custom', input: value, message, continue: true });
  });
  check._zod.onattach.push(({ _zod: { bag } }) => {
    if (min > 0) bag['minimum'] = Math.max(min, Number(bag['minimum'] ?? min));
    bag['maximum'] = Math.min(max, Number(bag['maximum'] ?? max));
  });
  return check;
}

/** Words in which a description states the rule that `parseVersion` has beyond its pattern. */
export const VERSION_NUMBERS = 'No number in it is above 9007199254740991.';
