import { deletePlan, getPlan, holdPlan, replaceGateSecret, resumePlan, setPlan, skipPlanStep } from '@sluice/contracts';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, ofApp, Routes } from '../http/route';
import { planBody, type PlanChoice, PlanChoices } from './plan-choice';

const ofBuild = (context: RequestContext) => ({ appId: context.app.id, id: context.id('build') });
const PATH = 'apps/:app/builds/:build/plan';

@Routes('Rollout plans', 'Rollouts that advance by themselves, and stop when a build fails.')
export class PlansController {
  constructor(private readonly choices: PlanChoices) {}

  @ManagementRoute('GET', PATH, {
    summary: 'The plan of a build that was set last',
    call: getPlan,
    answers: { 200: 'The plan, with the evidence so far.' },
  })
  getPlan = ofBuild;

  @ManagementRoute('PUT', PATH, {
    summary: 'Set the plan of a build',
    description:
      'Without windows and start_at the plan enters its first step immediately. A change of rollout or status by hand ends it. A build has one plan at a time. Instead of rules, the body can have the name of a template, as template, with or without start_at. The first plan of an app with a webhook gate creates the secret of its webhook gates. Only this response contains it.',
    body: planBody,
    call: setPlan,
    answers: { 200: 'The plan.' },
    refusals: ['PLAN_TEMPLATE_NOT_FOUND'],
  })
  async setPlan(context: RequestContext, choice: PlanChoice) {
    return { ...ofBuild(context), plan: await this.choices.resolve(context.app.id, choice, context.caller) };
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
    description: 'The build keeps its percentage. A plan that is held already stays as it is.',
    call: holdPlan,
    answers: { 200: 'The plan.' },
  })
  holdPlan = ofBuild;

  @ManagementRoute('POST', `${PATH}/resume`, {
    summary: 'Resume a plan that is held',
    description:
      'Its step lasts for hold_minutes again. If it was held because the build failed, the reports until now do not count again.',
    call: resumePlan,
    answers: { 200: 'The plan.' },
  })
  resumePlan = ofBuild;

  @ManagementRoute('POST', `${PATH}/skip`, {
    summary: 'Enter the next step of a plan now',
    description: 'Even while the plan is held. After the last step it completes the plan.',
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
