import {
  ATTRIBUTE_NAME,
  type AttributeRule,
  type Audience,
  AUDIENCE_RULE,
  audienceFault,
  type AudienceNames,
  MAX_ATTRIBUTE_LENGTH,
  MAX_ATTRIBUTES,
} from '@sluice/kernel/audience';
import { z } from 'zod';
import { characters } from './text';

const NAME_RULE =
  'The name of an attribute must start with a lower-case letter and have at most 32 of a-z, 0-9 and "-", for example plan.';
const TYPES_RULE = 'The attributes must be an object whose members are the types of attributes by their names.';
const RULES_RULE = 'The attributes must be an object whose members are rules by the names of attributes.';
const VALUE_RULE = `A value must be text of 1 to ${MAX_ATTRIBUTE_LENGTH} characters.`;
const VALUES_RULE = 'The in must be a list of 1 to 50 values.';
const RANGE_TEXT_RULE = 'The range must be text of 1 to 100 characters, for example ">=17 <19".';

const attributeName = z.string().regex(ATTRIBUTE_NAME);

/** By the name of an attribute. */
const byAttribute = <Schema extends z.ZodType>(member: Schema, rule: string) =>
  z.record(attributeName, member, { error: ({ code }) => (code === 'invalid_key' ? NAME_RULE : rule) });

const attributeTypeSchema = z.enum(['string', 'version'], 'The type of an attribute must be string or version.');

/** The attributes that devices of an app may send, and that audiences may name. */
export const attributeTypesSchema = byAttribute(attributeTypeSchema, TYPES_RULE);

/** Those that are left out stay as they are; null removes one. */
export const attributeEditsSchema = byAttribute(attributeTypeSchema.nullable(), TYPES_RULE);

const value = z.string(VALUE_RULE).check(characters(1, MAX_ATTRIBUTE_LENGTH, VALUE_RULE));

export const attributeRuleSchema: z.ZodType<AttributeRule> = z.union(
  [
    z.strictObject({ equal: value }),
    z.strictObject({ in: z.array(value, VALUES_RULE).min(1, VALUES_RULE).max(50, VALUES_RULE) }),
    z.strictObject({ range: z.string(RANGE_TEXT_RULE).check(characters(1, 100, RANGE_TEXT_RULE)) }),
  ],
  'The rule of an attribute must have exactly one of the members equal, in and range.',
);

const GROUPS_RULE = 'The groups must be a list of 1 to 20 names.';

export const groupNameSchema = z
  .string('The name of a group must be text.')
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    'The name of a group must start with a letter or a digit and have at most 63 of a-z, 0-9 and "-", for example beta.',
  );

/** What an app has that audiences may name. */
export const audienceNamesSchema: z.ZodType<AudienceNames> = z.object({
  attributes: attributeTypesSchema,
  groups: z.array(z.string()),
});

/** Which devices a build or a channel is for. */
export const audienceSchema: z.ZodType<Audience> = z
  .strictObject(
    {
      pinned_only: z
        .literal(true, 'The pinned_only must be true, or left out.')
        .optional()
        .describe('Only the pinned devices are in the audience. It then has no other rule.'),
      groups: z
        .array(groupNameSchema, GROUPS_RULE)
        .min(1, GROUPS_RULE)
        .max(20, GROUPS_RULE)
        .optional()
        .describe('Names of device groups of the app, one of which has to have the device.'),
      attributes: byAttribute(attributeRuleSchema, RULES_RULE).optional().meta({
        maxProperties: MAX_ATTRIBUTES,
        description:
          'By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule.',
      }),
    },
    'The audience must be an object with the members groups and attributes, or pinned_only.',
  )
  .superRefine((audience, context) => {
    const fault = audienceFault(audience);
    if (fault !== undefined) context.addIssue(fault);
  })
  .meta({
    description: `The devices that are in one of the groups, and meet the rules of all attributes; and the pinned devices. ${AUDIENCE_RULE}`,
    examples: [{ groups: ['beta'], attributes: { plan: { equal: 'pro' }, os: { range: '>=17' } } }],
  });
