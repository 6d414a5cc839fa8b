import { z } from 'zod';

/** How many pairs the metadata of a build may have. */
export const MAX_METADATA_PAIRS = 20;

const KEY = /^[a-z][a-z0-9_.-]{0,39}$/;
// eslint-disable-next-line no-control-regex -- `\p{Cc}` is no escape in the expressions of Python
const VALUE = /^[^\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd]{0,500}$/u;

const OBJECT_RULE = 'The metadata must be a JSON object of texts, for example {"commit":"4f2a9c1"}.';
const KEY_RULE =
  'A key of the metadata must start with a lower-case letter and have at most 40 of a-z, 0-9, "_", "." and "-".';
const VALUE_RULE =
  'A value of the metadata must be text of at most 500 characters, without control characters such as line breaks and without U+FFFD, which replaces bytes that are not UTF-8.';

/**
 * Where a build comes from, as its uploader states it: pairs of text such as its commit, its branch, or the link to the
 * run of the CI. Nothing in Sluice acts on it.
 */
export const buildMetadataSchema = z
  .record(z.string().regex(KEY), z.string(received(VALUE_RULE)).regex(VALUE, received(VALUE_RULE)), {
    error: ({ code, input }) => received(code === 'invalid_key' ? KEY_RULE : OBJECT_RULE).error({ input }),
  })
  .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS, {
    error: ({ input }) =>
      `The metadata must have at most ${MAX_METADATA_PAIRS} pairs. Received: ${Object.keys(input as object).length}. Remove some.`,
  })
  .meta({
    maxProperties: MAX_METADATA_PAIRS,
    examples: [{ commit: '4f2a9c1', branch: 'main', run_url: 'https://ci.example.com/runs/7' }],
  });
export type BuildMetadata = z.infer<typeof buildMetadataSchema>;

/** A commit as people write it: of a hash, its first 7 digits. */
export function shortCommit(commit: string | undefined): string | undefined {
  return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit.slice(0, 7) : commit;
}

const EXCERPT = 40;

/** A rule, and the start of what breaks it. */
function received(rule: string) {
  const excerpt = (input: unknown): string => {
    if (Array.isArray(input)) return 'a list';
    if (typeof input === 'object' && input !== null) return 'an object';
    if (typeof input !== 'string') return String(input);
    const characters = Array.from(input);
    const start = JSON.stringify(characters.slice(0, EXCERPT).join(''));
    return characters.length > EXCERPT ? `${start}… (${characters.length} characters)` : start;
  };
  return { error: ({ input }: { readonly input?: unknown }) => `${rule} Received: ${excerpt(input)}.` };
}
