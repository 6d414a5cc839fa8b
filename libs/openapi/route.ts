import type { z } from 'zod';

/** A section of a description, with an introduction to its operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** What one route accepts and returns, in addition to what follows from its path. */
export interface Operation {
  /** Unique in its API, in camel case: generated clients name their functions after it. */
  readonly id: string;
  readonly summary: string;
  /** Details that the summary leaves out. */
  readonly description?: string;
  /** The schemas that validate the query, the body, the fields of a form, or the headers. */
  readonly query?: readonly z.ZodType[];
  readonly body?: z.ZodType;
  /** A body must be sent although it may be `{}`. */
  readonly bodyRequired?: true;
  readonly form?: z.ZodType;
  readonly headers?: z.ZodType;
  /** Successes by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Error codes in addition to those that follow from the path, the query and the body. */
  readonly refusals?: readonly string[];
}

/** An operation at its path. */
export interface DescribedRoute extends Operation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:parameters`. */
  readonly url: string;
  readonly tag: Tag;
  /** The credential is in the URL, or none is needed. */
  readonly open?: true;
  readonly takesIdempotencyKey?: boolean;
  /** Error codes of checks before the request is read. */
  readonly accessRefusals?: readonly string[];
}

/** `one` and `page` are wrapped in the envelope of the API, `bare` is not. */
export type Answer = { readonly description: string; readonly headers?: Readonly<Record<string, string>> } & (
  | { readonly kind: 'one' | 'page' | 'bare'; readonly schema: z.ZodType }
  /** `json`: what the envelope holds for clients that ask for JSON. */
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly json?: z.ZodType }
  | { readonly kind: 'empty' }
);

/** One resource. */
export function one(schema: z.ZodType, description: string): Answer {
  return { kind: 'one', schema, description };
}

/** One page of a list, with `meta`. */
export function pageOfMany(schema: z.ZodType, description = 'One page.'): Answer {
  return { kind: 'page', schema, description };
}
