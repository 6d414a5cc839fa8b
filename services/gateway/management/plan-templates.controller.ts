import {
  deletePlanTemplate,
  getPlanTemplate,
  listPlanTemplates,
  setPlanTemplate,
  templateNameSchema,
  templateRulesSchema,
  toValidationError,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { DomainError, ValidationError } from '@sluice/kernel';
import { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { ifMatchHeader, ifRevision, tagged } from './if-match';

const PATH = 'apps/:app/plan-templates';

const templateBody = templateRulesSchema.extend({
  start_at: z
    .undefined({ error: "A template can't contain start_at. Send start_at with a plan that uses the template." })
    .optional(),
});

/** Text that is no name names nothing. */
const ofTemplate = (context: RequestContext) => {
  const name = templateNameSchema.safeParse(context.param('template'));
  if (name.success) return { appId: context.app.id, name: name.data };
  throw new DomainError('PLAN_TEMPLATE_NOT_FOUND', 'The app has no plan template of this name.');
};

@Routes('Plan templates', 'Reusable settings for rollout plans. An app has at most 20.')
export class PlanTemplatesController {
  @ManagementRoute('GET', PATH, {
    summary: 'List the plan templates of an app, by name',
    query: [pageQuery],
    call: listPlanTemplates,
  })
  listPlanTemplates = ({ app }: RequestContext, page: z.output<typeof pageQuery>) => ({ ...page, appId: app.id });

  @ManagementRoute('GET', `${PATH}/:template`, {
    summary: 'A plan template',
    call: getPlanTemplate,
    ...tagged(getPlanTemplate, 200, 'The template.'),
  })
  getPlanTemplate = ofTemplate;

  @ManagementRoute('PUT', `${PATH}/:template`, {
    summary: 'Create or change a plan template',
    description:
      'A plan copies the settings of its template when it is set. A later change of the template does not change the plan.',
    headers: ifMatchHeader,
    body: templateBody,
    call: setPlanTemplate,
    ...tagged(setPlanTemplate, 200, 'The template.'),
  })
  setPlanTemplate(context: RequestContext, rules: z.output<typeof templateBody>) {
    const name = templateNameSchema.safeParse(context.param('template'));
    if (name.data === undefined)
      throw new ValidationError({ name: toValidationError(name.error).errors['body'] ?? [] });
    return { appId: context.app.id, name: name.data, rules, ...ifRevision(context) };
  }

  @ManagementRoute('DELETE', `${PATH}/:template`, {
    summary: 'Delete a plan template',
    description: 'The plans that were copied from it stay as they are.',
    headers: ifMatchHeader,
    call: deletePlanTemplate,
    answers: { 200: 'Deleted.' },
  })
  deletePlanTemplate = (context: RequestContext) => ({ ...ofTemplate(context), ...ifRevision(context) });
}
