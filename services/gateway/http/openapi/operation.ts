import type { z } from 'zod';

/** What one route takes and answers, beside what its path and its access policy tell already. */
export interface Operation {
  /** Unique in its plane, in camel case: generated clients name their functions after it. */
  readonly id: string;
  readonly summary: string;
  /** More than the summary says, for who has not read the guide. */
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
  /** Codes of refusals beside those that follow from the path, the policy and the body. */
  readonly refusals?: readonly string[];
  /** The credential stands in the URL, or none is needed. */
  readonly open?: true;
}

/** `one` and `page` come in the plane's envelope, `bare` does not. */
export type Answer = { readonly description: string; readonly headers?: Readonly<Record<string, string>> } & (
  | { readonly kind: 'one' | 'page' | 'bare'; readonly schema: z.ZodType }
  /** `json`: what stands in the envelope for who asks for JSON. */
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly json?: z.ZodType }
  | { readonly kind: 'empty' }
);

/** Operations by route, `METHOD /path/:parameter` as in ACCESS_POLICIES. */
export type Operations = Readonly<Record<string, Operation>>;

/** A group of operations under one heading. */
export interface OperationGroup {
  readonly heading: string;
  readonly description: string;
  readonly operations: Operations;
}

/** One resource. */
export function one(schema: z.ZodType, description = 'Done.'): Answer {
  return { kind: 'one', schema, description };
}

/** One page of a list, with `meta`. */
export function pageOfMany(schema: z.ZodType, description = 'One page.'): Answer {
  return { kind: 'page', schema, description };
}
