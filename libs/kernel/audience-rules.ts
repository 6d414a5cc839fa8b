import {
  type Audience,
  audienceFault,
  type AttributeRule,
  type AttributeTypes,
  type AudienceNames,
  RANGE_RULE,
} from './audience';
import { ValidationError } from './domain-error';
import { parseVersion, type Version } from './version';
import { isEmptyRange, parseRange } from './version-range';

/**
 * Null and undefined are left as they are.
 * @throws ValidationError for an audience that says nothing, names what the app lacks, or has a rule that no value can meet
 */
export function requireAudience(
  audience: Audience | null | undefined,
  { attributes, groups }: AudienceNames = { attributes: {}, groups: [] },
): void {
  if (audience === null || audience === undefined) return;
  const whole = audienceFault(audience);
  if (whole !== undefined) throw new ValidationError({ audience: [whole] });
  const errors: Record<string, readonly string[]> = {};
  for (const [name, rule] of Object.entries(audience.attributes ?? {})) {
    const fault = faultOf(name, rule, attributes);
    if (fault !== undefined) errors[`audience.attributes.${name}`] = [fault];
  }
  const unknown = (audience.groups ?? []).filter((name) => !groups.includes(name));
  if (unknown.length > 0) errors['audience.groups'] = unknown.map((name) => `The app has no device group "${name}".`);
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}

function faultOf(name: string, rule: AttributeRule, attributes: AttributeTypes): string | undefined {
  if (!Object.hasOwn(attributes, name)) {
    const declared = Object.keys(attributes).join(', ');
    return `The app declares no attribute "${name}". ${declared === '' ? 'It declares none.' : `It declares: ${declared}.`}`;
  }
  if ('range' in rule) {
    if (attributes[name] !== 'version') return `The attribute "${name}" is text: a range needs one of type version.`;
    return parseRange(rule.range) === undefined || isEmptyRange(rule.range) ? RANGE_RULE : undefined;
  }
  if (attributes[name] !== 'version') return undefined;
  const wrong = ('equal' in rule ? [rule.equal] : rule.in).find((value) => parseVersion(value) === undefined);
  return wrong === undefined ? undefined : `The attribute "${name}" is a version, which "${wrong}" is not.`;
}

/** Of a version attribute the version. */
export type AttributeValue = string | Version;

/** Prepares a rule for being asked often. */
export function compileRule(rule: AttributeRule): (value: AttributeValue) => boolean {
  if ('range' in rule) {
    const range = parseRange(rule.range);
    return (value) => typeof value !== 'string' && range?.includes(value) === true;
  }
  const texts = 'equal' in rule ? [rule.equal] : rule.in;
  const versions = texts.flatMap((text) => parseVersion(text) ?? []);
  return (value) =>
    typeof value === 'string' ? texts.includes(value) : versions.some((version) => version.compare(value) === 0);
}
