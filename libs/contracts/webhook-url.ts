import { z } from 'zod';
import { characters } from './text';

const URL_RULE = 'The url must be an https address, or an http address of this machine.';

/** Where a webhook goes. Which addresses are allowed is decided by the service that sends it. */
export const webhookUrlSchema = z
  .string(URL_RULE)
  .check(characters(0, 2_000, 'The url must have at most 2000 characters.'))
  .trim()
  .meta({ format: 'uri', pattern: '^\\s*[hH][tT]{2}[pP][sS]?://' })
  .pipe(z.url({ protocol: /^https?$/, error: URL_RULE }))
  .refine((url) => {
    const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
    return username + password === '';
  }, 'The url must hold no user name and no password.');
