import type { Build } from '@sluice/contracts';

type Audience = NonNullable<Build['audience']>;
type Rule = NonNullable<Audience['attributes']>[string];

/** Without a kind, the attribute has no rule. */
export interface RuleDraft {
  readonly kind: '' | 'equal' | 'in' | 'range';
  readonly text: string;
}

/** An audience as its form holds it. */
export interface AudienceDraft {
  /** No other devices: groups and rules are ignored. */
  readonly pinnedOnly: boolean;
  readonly groups: ReadonlySet<string>;
  readonly rules: Readonly<Record<string, RuleDraft>>;
}

export function audienceDraft(audience: Build['audience'] | undefined): AudienceDraft {
  const { pinned_only: pinnedOnly = false, groups = [], attributes = {} } = audience ?? {};
  const rules = Object.entries(attributes).map(([name, rule]) => [name, ruleDraft(rule)] as const);
  return { pinnedOnly, groups: new Set(groups), rules: Object.fromEntries(rules) };
}

function ruleDraft(rule: Rule): RuleDraft {
  if ('equal' in rule) return { kind: 'equal', text: rule.equal };
  return 'in' in rule ? { kind: 'in', text: rule.in.join(', ') } : { kind: 'range', text: rule.range };
}

/** Null: all devices. */
export function toAudience({ pinnedOnly, groups, rules }: AudienceDraft): Audience | null {
  if (pinnedOnly) return { pinned_only: true };
  const attributes = Object.fromEntries(
    Object.entries(rules).flatMap(([name, { kind, text }]) => (kind === '' ? [] : [[name, ruleOf(kind, text)]])),
  );
  const hasRules = Object.keys(attributes).length > 0;
  if (groups.size === 0 && !hasRules) return null;
  return { ...(groups.size > 0 && { groups: [...groups] }), ...(hasRules && { attributes }) };
}

function ruleOf(kind: Exclude<RuleDraft['kind'], ''>, text: string): Rule {
  switch (kind) {
    case 'equal':
      return { equal: text.trim() };
    case 'range':
      return { range: text.trim() };
    case 'in':
      return { in: text.split(',').flatMap((value) => value.trim() || []) };
  }
}
