import type { Build } from '@sluice/contracts';
import { collect } from './arguments';
import { InvalidArgumentError, Option, type Command, type OptionValues } from './commander';

type Audience = NonNullable<Build['audience']>;
type AttributeRule = NonNullable<Audience['attributes']>[string];

export interface AudienceOptions {
  readonly pinnedOnly?: true;
  readonly group?: readonly string[];
  readonly attribute?: Readonly<Record<string, AttributeRule>>;
}

/** Adds the options that describe which devices a build is for, or the builds of a channel. */
export function withAudience<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  what = 'the build',
) {
  return command
    .option(
      '--group <name>',
      `offer ${what} only to devices of this group (repeatable: a device needs to be in one of them)`,
      collect,
    )
    .option(
      '--attribute <rule>',
      `offer ${what} only to devices whose attribute has a value, as name=value or name=value,value, or is in a semver range, such as "os:>=17" (repeatable: a device must meet all rules)`,
      (text: string, before: AudienceOptions['attribute']) => ({ ...before, ...parseRule(text) }),
    )
    .addOption(
      new Option('--pinned-only', `offer ${what} only to pinned devices`)
        .conflicts(['group', 'attribute'])
        .argParser(() => true as const),
    );
}

/** The audience that these options describe; undefined: none. */
export function audienceOf({
  pinnedOnly,
  group: groups,
  attribute: attributes,
}: AudienceOptions): Audience | undefined {
  if (pinnedOnly === true) return { pinned_only: pinnedOnly };
  if (groups === undefined && attributes === undefined) return undefined;
  return { ...(groups && { groups: [...groups] }), ...(attributes && { attributes }) };
}

function parseRule(text: string): Readonly<Record<string, AttributeRule>> {
  const [, name = '', sign = '', rest = ''] = /^([a-z][a-z0-9-]*)([=:])(.+)$/s.exec(text) ?? [];
  if (name === '') {
    throw new InvalidArgumentError(
      'It must be name=value, name=value,value or name:range, such as plan=pro or os:>=17.',
    );
  }
  if (sign === ':') return { [name]: { range: rest } };
  const values = rest.split(',');
  return { [name]: values.length === 1 ? { equal: rest } : { in: values } };
}

/** Gathers the values that a device sends, by attribute. */
export function collectAttribute(text: string, before?: Readonly<Record<string, string>>) {
  const [, name = '', value = ''] = /^([a-z][a-z0-9-]*)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be an attribute and a value, such as plan=pro.');
  return { ...before, [name]: value };
}

/** As people read it. A server of an earlier release returns none. */
export function audienceText(audience: Audience | null | undefined): string | undefined {
  if (audience === null || audience === undefined) return undefined;
  const { pinned_only: pinnedOnly, groups = [], attributes = {} } = audience;
  if (pinnedOnly === true) return 'pinned devices';
  const rules = Object.entries(attributes).map(([name, rule]) => ruleText(name, rule));
  return [...(groups.length === 0 ? [] : [groupsText(groups)]), ...rules].join(' and ');
}

export function groupsText(groups: readonly string[]): string {
  return groups.length === 1 ? `group ${groups.join()}` : `one of the groups ${groups.join(', ')}`;
}

export function ruleText(name: string, rule: AttributeRule): string {
  if ('range' in rule) return `${name} in ${rule.range}`;
  return 'equal' in rule ? `${name} is ${rule.equal}` : `${name} is one of ${rule.in.join(', ')}`;
}
