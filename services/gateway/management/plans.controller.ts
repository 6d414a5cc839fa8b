import {
  changePlanSteps,
  deletePlan,
  getPlan,
  holdPlan,
  planRulesSchema,
  replaceGateSecret,
  resumePlan,
  setPlan,
  skipPlanStep,
} from '@sluice/contracts';
import type { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, ofApp, Routes } from '../http/route';
import { ifMatchHeader, ifRevision, tagged } from './if-match';
import { planBody, type PlanChoice, PlanChoices } from './plan-choice';

const ofBuild = (context: RequestContext) => ({ appId: context.app.id, id: context.id('build') });
const stepsBody = planRulesSchema.pick({ steps: true });
const PATH = 'apps/:app/builds/:build/plan';

@Routes('Rollout plans', 'Plans that raise the rollout of a build step by step, and stop when too many devices fail.')
export class PlansController {
  constructor(private readonly choices: PlanChoices) {}

  @ManagementRoute('GET', PATH, {
    summary: 'The last plan that was set for a build',
    call: getPlan,
    ...tagged(getPlan, 200, 'The plan, with the evidence so far.'),
  })
  getPlan = ofBuild;

  @ManagementRoute('PUT', PATH, {
    summary: 'Set the plan of a build',
    description:
      'Without windows and start_at, the plan enters its first step immediately. If a person changes the rollout or the status of the build, the plan ends. A build has one plan at a time. Instead of the settings of a plan, the body can contain template, the name of a plan template, and start_at. If the plan has a webhook gate and the app has no secret for such gates, the request creates one. Only its response contains it.',
    body: planBody,
    call: setPlan,
    answers: { 200: 'The plan.' },
    refusals: ['PLAN_TEMPLATE_NOT_FOUND'],
  })
  async setPlan(context: RequestContext, choice: PlanChoice) {
    return { ...ofBuild(context), plan: await this.choices.resolve(context.app.id, choice, context.caller) };
  }

  @ManagementRoute('PATCH', PATH, {
    summary: 'Change the steps of a plan that runs or is held',
    description:
      'Send all steps. Those before the present one must stay as they are, and the present one must keep its percentage. It has lasted as long as before, so a shorter hold_minutes can end it. Without further steps, the plan completes after the present one.',
    headers: ifMatchHeader,
    body: stepsBody,
    call: changePlanSteps,
    ...tagged(changePlanSteps, 200, 'The plan.'),
  })
  changePlanSteps(context: RequestContext, { steps }: z.output<typeof stepsBody>) {
    return { ...ofBuild(context), steps, ...ifRevision(context) };
  }

  @ManagementRoute('DELETE', PATH, {
    summary: 'End the plan of a build',
    description: 'The build keeps its rollout.',
    call: deletePlan,
    answers: { 200: 'The plan, which has ended.' },
  })
  deletePlan = ofBuild;

  @ManagementRoute('POST', `${PATH}/hold`, {
    summary: 'Hold the plan of a build',
    description: 'The build keeps its percentage. A plan that is already held does not change.',
    call: holdPlan,
    answers: { 200: 'The plan.' },
  })
  holdPlan = ofBuild;

  @ManagementRoute('POST', `${PATH}/resume`, {
    summary: 'Resume a plan that is held',
    description:
      'Its step starts again. If the plan was held because the reports made the gate fail, the devices that were counted then no longer count: the step needs min_devices new devices.',
    call: resumePlan,
    answers: { 200: 'The plan.' },
  })
  resumePlan = ofBuild;

  @ManagementRoute('POST', `${PATH}/skip`, {
    summary: 'Enter the next step of a plan now',
    description: 'Also while the plan is held. In the last step, this completes the plan.',
    call: skipPlanStep,
    answers: { 200: 'The plan.' },
  })
  skipPlanStep = ofBuild;

  @ManagementRoute('POST', 'apps/:app/gate-secret', {
    summary: 'Create or replace the secret of the webhook gates of an app',
    description: 'Requests are signed with the new secret from then on.',
    call: replaceGateSecret,
    answers: { 200: 'The new secret. No later response contains it.' },
  })
  replaceGateSecret = ofApp;
}
