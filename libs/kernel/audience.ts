/**
 * The devices that are in one of the groups, if groups are named, and that meet the rule of each attribute; and those that
 * are pinned.
 */
export interface Audience {
  /** No others than those that are pinned. */
  readonly pinned_only?: true | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly attributes?: Readonly<Record<string, AttributeRule>> | undefined;
}

export type AttributeType = 'string' | 'version';
export type AttributeTypes = Readonly<Record<string, AttributeType>>;

/** `range`: of versions, as semver writes ranges. */
export type AttributeRule =
  { readonly equal: string } | { readonly in: readonly string[] } | { readonly range: string };

/** What an app has that audiences may name. */
export interface AudienceNames {
  readonly attributes: AttributeTypes;
  readonly groups: readonly string[];
}

export const MAX_ATTRIBUTES = 8;
export const MAX_ATTRIBUTE_LENGTH = 100;
export const ATTRIBUTE_NAME = /^[a-z][a-z0-9-]{0,31}$/;
export const AUDIENCE_RULE = 'The audience must have at least one rule. For all devices, leave it out or send null.';
const PINNED_ONLY_RULE = 'An audience with pinned_only must have no other rule.';
export const RANGE_RULE = 'The range must be a semver range that a version can be in, for example ">=17 <19".';

/** Undefined: it is fine as a whole. */
export function audienceFault({ pinned_only: pinnedOnly, groups = [], attributes = {} }: Audience): string | undefined {
  const hasRules = groups.length > 0 || Object.keys(attributes).length > 0;
  if (pinnedOnly === true) return hasRules ? PINNED_ONLY_RULE : undefined;
  return hasRules ? undefined : AUDIENCE_RULE;
}
