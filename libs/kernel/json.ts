/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

/** JSON whose objects have their members in one order: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_member, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
