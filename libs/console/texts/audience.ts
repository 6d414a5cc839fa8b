/** Audiences in words. */
import type { Build, Explanation } from '@sluice/contracts';

type Audience = NonNullable<Build['audience']>;
type Rule = NonNullable<Audience['attributes']>[string];

const either = new Intl.ListFormat('en', { type: 'disjunction' });

const groupWords = (groups: readonly string[]): string =>
  `${groups.length === 1 ? 'group' : 'groups'} ${either.format(groups)}`;

function ruleWords(name: string, rule: Rule): string {
  if ('range' in rule) return `${name} ${rule.range}`;
  return `${name} ${'equal' in rule ? rule.equal : either.format(rule.in)}`;
}

/** Each of its conditions, all of which devices have to meet. */
export function conditions({ pinned_only: pinnedOnly, groups = [], attributes = {} }: Audience): string[] {
  if (pinnedOnly === true) return ['pinned devices'];
  const rules = Object.entries(attributes).map(([name, rule]) => ruleWords(name, rule));
  return groups.length === 0 ? rules : [groupWords(groups), ...rules];
}

export function unmet(condition: Explanation['newer'][number]['audience_unmet'][number]): string {
  const what = condition.of === 'channel' ? 'The channel' : 'It';
  if ('pinned_only' in condition) return `${what} is for pinned devices.`;
  if ('groups' in condition) return `${what} is for ${groupWords(condition.groups)}, and the device is not in there.`;
  const { attribute, rule, value } = condition;
  return `${what} is for devices with ${ruleWords(attribute, rule)}. The device ${value === null ? 'sends no value' : `has ${value}`}.`;
}
