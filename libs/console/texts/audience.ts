/** Audiences in words, and the texts of the form that sets one. */
import type { Build, Explanation } from '@sluice/contracts';
import { counted, platforms } from './shared';

type Audience = NonNullable<Build['audience']>;
type Rule = NonNullable<Audience['attributes']>[string];

const either = new Intl.ListFormat('en', { type: 'disjunction' });
const both = new Intl.ListFormat('en');

const groupWords = (groups: readonly string[]): string =>
  `${groups.length === 1 ? 'group' : 'groups'} ${either.format(groups)}`;

/** Such as `17+` for >=17. */
const rangeWords = (range: string): string => range.replace(/^>=\s*([\d.]+)$/, '$1+');

function ruleWords(name: string, rule: Rule): string {
  if ('range' in rule) return `${name} ${rangeWords(rule.range)}`;
  return `${name} ${'equal' in rule ? rule.equal : either.format(rule.in)}`;
}

/** Which devices can get a build: such as `iOS devices`, and what limits them further. */
export interface AudienceWords {
  readonly devices: string;
  readonly limits: readonly string[];
  /** No others than pinned ones. */
  readonly pinnedOnly: boolean;
}

type Limited = Partial<Pick<Build, 'audience' | 'min_native_version' | 'native_range' | 'fingerprint' | 'platform'>>;

/** A server of an earlier release returns some members only. */
export function audienceOf(build: Limited): AudienceWords {
  const { audience, min_native_version: minimum, native_range: range, fingerprint, platform = 'all' } = build;
  const { pinned_only: pinnedOnly, groups = [], attributes = {} } = audience ?? {};
  const rules = Object.entries(attributes).map(([name, rule]) => ruleWords(name, rule));
  return {
    devices: platform === 'all' ? 'devices' : `${platforms[platform]} devices`,
    pinnedOnly: pinnedOnly === true,
    limits: [
      ...(groups.length === 0 ? [] : [`in ${groupWords(groups)}`]),
      ...(rules.length === 0 ? [] : [`with ${both.format(rules)}`]),
      ...(typeof minimum === 'string' ? [`on native version ${minimum}+`] : []),
      ...(typeof range === 'string' ? [`on native version ${rangeWords(range)}`] : []),
      ...(typeof fingerprint === 'string' ? [`with fingerprint ${fingerprint}`] : []),
    ],
  };
}

export const pinnedDevices = (count: number): string => counted(count, 'pinned device', 'pinned devices');

export const pinnedOnlyWords = (pins: number): string =>
  pins === 0 ? 'pinned devices only, and none is pinned' : `${pinnedDevices(pins)} only`;

/** The whole audience, such as `5% of iOS devices, with os 17+, on native version 2.x; also 12 pinned devices`. */
export function audienceWords(build: Limited, percentage: number, pins: number): string {
  const { devices, limits, pinnedOnly } = audienceOf(build);
  if (pinnedOnly) return pinnedOnlyWords(pins);
  const share = [percentage === 100 ? `all ${devices}` : `${percentage}% of ${devices}`, ...limits].join(', ');
  return pins === 0 ? share : `${share}; also ${pinnedDevices(pins)}`;
}

export function unmet(condition: Explanation['newer'][number]['audience_unmet'][number]): string {
  const what = condition.of === 'channel' ? 'The channel' : 'It';
  if ('pinned_only' in condition) return `${what} is for pinned devices.`;
  if ('groups' in condition) return `${what} is for ${groupWords(condition.groups)}, and the device is not in there.`;
  const { attribute, rule, value } = condition;
  return `${what} is for devices with ${ruleWords(attribute, rule)}. The device ${value === null ? 'sends no value' : `has ${value}`}.`;
}

// The form that sets an audience.
export const audience = 'Audience';
export const audienceHelp =
  'Without groups and attributes, the build is for all devices. Its rollout is a percentage of its audience.';
export const channelAudienceHelp =
  'The devices that are offered the builds of the channel. Without groups and attributes, these are all devices.';
export const onlyPinned = 'Only pinned devices';
/** Of a channel that has an audience. */
export const ofChannel = ({ limits, pinnedOnly }: AudienceWords, pins: number): string =>
  `For ${pinnedOnly ? pinnedOnlyWords(pins) : `devices ${limits.join(', ')}${pins === 0 ? '' : `; also for ${pinnedDevices(pins)}`}`}`;
export const groups = 'Device groups';
export const groupsHelp = 'Devices in at least one of these groups. None: all devices.';
export const noGroups = 'This app has no device groups. Add one under “Devices”.';
export const attributeHelp = (type: 'string' | 'version'): string =>
  type === 'version' ? 'A version that devices send.' : 'A text that devices send.';
export const noAttributes = 'This app declares no attributes. Add one under “Settings”.';
export const anyValue = 'Any value';
export const ruleKinds = { equal: 'Is', in: 'Is one of', range: 'Is in the range' } as const;
export const rule = (attribute: string): string => `Devices with ${attribute}`;
export const ruleValue = (attribute: string): string => `Value of ${attribute}`;
export const valueHelp = {
  equal: 'One value.',
  in: 'Values with commas between them.',
  range: 'A semver range, for example >=17.',
} as const;
export const ring = 'Devices that get it first';
export const rings = {
  per_build: 'A different selection for each build',
  stable: 'The same devices for all builds with this setting',
} as const;
export const otherRing = 'Other devices are included, so some that were offered the build no longer are.';
export const ringHelp = 'Only matters while the rollout is below 100%.';
