/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json | undefined;
}
