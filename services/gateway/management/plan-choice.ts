import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  getPlanTemplate,
  planRulesSchema,
  type RequestedPlan,
  requestedPlanSchema,
  templateNameSchema,
} from '@sluice/contracts';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { toJsonSchema } from '@sluice/openapi';
import { z } from 'zod';

/** The rules of a plan, or the template that it takes them from. */
export type PlanChoice = z.output<typeof planRulesSchema> | z.output<typeof fromTemplate>;

const notWithTemplate = z.undefined({ error: 'Send template or the settings of a plan, not both.' }).optional();

const fromTemplate = z.object({
  template: templateNameSchema.meta({ description: 'The plan template whose settings the plan copies.' }),
  start_at: planRulesSchema.shape.start_at,
  ...{ steps: notWithTemplate, gates: notWithTemplate, windows: notWithTemplate },
  ...{ time_zone: notWithTemplate, on_fail: notWithTemplate },
});

const byName = templateNameSchema
  .describe('The name of a plan template.')
  .transform((template) => ({ template, start_at: null }));

const PLAN_RULE = 'The plan must be a plan as a JSON object, or the name of a plan template, for example careful.';

/** The body that sets a plan. */
export const planBody = choice(
  (sent) => (isFromTemplate(sent) ? fromTemplate : planRulesSchema),
  [fromTemplate, planRulesSchema],
);

/** The plan of an upload or a promotion. */
export const planOfBuild = choice(
  (sent) => {
    if (typeof sent === 'string' && templateNameSchema.safeParse(sent).success) return byName;
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return z.never(PLAN_RULE);
    return isFromTemplate(sent) ? fromTemplate : planRulesSchema;
  },
  [byName, fromTemplate, planRulesSchema],
);

function isFromTemplate(sent: unknown): boolean {
  return typeof sent === 'object' && sent !== null && (sent as { template?: unknown }).template !== undefined;
}

/** One of several schemas, by what was sent: unlike those of a union, its errors are those of one schema. */
function choice(of: (sent: unknown) => z.ZodType, all: readonly z.ZodType[]): z.ZodType<PlanChoice> {
  return z
    .unknown()
    .transform((sent, context): PlanChoice => {
      const { data, error } = of(sent).safeParse(sent);
      if (error === undefined) return data as PlanChoice;
      for (const { path, message } of error.issues) context.addIssue({ code: 'custom', path: [...path], message });
      return z.NEVER;
    })
    .meta({ anyOf: all.map((schema) => toJsonSchema(schema, 'input')) });
}

/** Plans as build-pipeline takes them. */
@Injectable()
export class PlanChoices {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** @throws DomainError PLAN_TEMPLATE_NOT_FOUND */
  async resolve(appId: number, choice: PlanChoice, caller: Caller): Promise<RequestedPlan> {
    if (!('template' in choice)) return { ...choice, template: null };
    const { template, start_at } = choice;
    const rules = await this.messaging.request(getPlanTemplate, { appId, name: template }, caller);
    return requestedPlanSchema.parse({ ...rules, template, start_at });
  }
}
