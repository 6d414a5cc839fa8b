import { UnknownEventError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import {
  MAX_TEMPLATES,
  type PlanTemplateCommand,
  type PlanTemplateEvent,
  planTemplates,
  planTemplatesStream,
} from './plan-templates';

const rules = (percentage = 5) => ({ steps: [{ percentage, hold_minutes: 60, min_devices: 500 }], on_fail: 'hold' });
const set = (name: string, percentage?: number): PlanTemplateCommand => ({
  ...{ type: 'SetTemplate', appId: 7, name, rules: rules(percentage) },
});
const wasSet = (name: string, percentage?: number): PlanTemplateEvent => ({
  type: 'PlanTemplateSet',
  data: { appId: 7, name, rules: rules(percentage) },
});
const remove = (name: string, defaults: Readonly<Record<string, string | number>> = {}): PlanTemplateCommand => ({
  ...{ type: 'DeleteTemplate', appId: 7, name, defaults },
});
const deleted = (name: string): PlanTemplateEvent => ({ type: 'PlanTemplateDeleted', data: { appId: 7, name } });

const { given } = specify(planTemplates);

describe('setting a plan template', () => {
  it('creates it, changes it, and records nothing if nothing changes', () => {
    given().when(set('careful')).then(wasSet('careful'));
    given(wasSet('careful')).when(set('careful', 10)).then(wasSet('careful', 10));
    given(wasSet('careful')).when(set('careful')).then();
    const { steps, on_fail } = rules();
    given(wasSet('careful')).when({ type: 'SetTemplate', appId: 7, name: 'careful', rules: { on_fail, steps } }).then();
  });

  it(`rejects more than ${MAX_TEMPLATES} of an app, of which any can still be changed`, () => {
    const full = Array.from({ length: MAX_TEMPLATES }, (_, index) => wasSet(`t${index}`));
    given(...full)
      .when(set('one-more'))
      .rejects({ code: 'PLAN_TEMPLATE_LIMIT_REACHED', details: { limit: MAX_TEMPLATES } });
    given(...full)
      .when(set('t3', 10))
      .then(wasSet('t3', 10));
    given(...full, deleted('t3'))
      .when(set('one-more'))
      .then(wasSet('one-more'));
  });
});

describe('expecting a revision of a plan template', () => {
  it('takes a change for the revision that it has, and rejects another one with it', () => {
    const changed = given(wasSet('careful'), wasSet('fast'), wasSet('careful', 10));
    for (const command of [set('careful', 20), set('careful', 10), remove('careful')]) {
      changed.when({ ...command, ifRevision: 1 }).rejects({ code: 'PLAN_TEMPLATE_CHANGED', details: { revision: 3 } });
    }
    expect(changed.when({ ...remove('careful'), ifRevision: 3 }).events).toHaveLength(1);
    expect(changed.when({ ...set('fast', 20), ifRevision: 2 }).events).toHaveLength(1);
  });

  it('neither makes one that was deleted, nor changes the next one of the name', () => {
    const gone = [wasSet('careful'), deleted('careful')];
    given(...gone)
      .when({ ...set('careful'), ifRevision: 1 })
      .rejects('PLAN_TEMPLATE_NOT_FOUND');
    given(...gone, wasSet('careful'))
      .when({ ...set('careful', 9), ifRevision: 1 })
      .rejects({ code: 'PLAN_TEMPLATE_CHANGED', details: { revision: 2 } });
  });
});

describe('deleting a plan template', () => {
  it('deletes it, unless it was deleted before', () => {
    given(wasSet('careful')).when(remove('careful')).then(deleted('careful'));
    given(wasSet('careful'), wasSet('fast'), deleted('careful'))
      .when(remove('careful'))
      .rejects({ code: 'PLAN_TEMPLATE_NOT_FOUND', details: { templates: ['fast'] } });
  });

  it('is rejected while it is the default rollout of a channel', () => {
    given(wasSet('careful'))
      .when(remove('careful', { production: 'careful', staging: 50, development: 'careful' }))
      .rejects({ code: 'PLAN_TEMPLATE_IN_USE', details: { channels: ['production', 'development'] } });
    given(wasSet('careful'), wasSet('fast'))
      .when(remove('careful', { production: 'fast' }))
      .then(deleted('careful'));
  });
});

it('stops at an event of a newer release', () => {
  const event = { type: 'PlanTemplatePainted', data: {} } as unknown as PlanTemplateEvent;
  expect(() => given(event).when(set('careful')).events).toThrow(UnknownEventError);
});

it('keeps its events in the stream planTemplates-7, which is none of a plan', () => {
  expect(planTemplatesStream(7)).toBe('planTemplates-7');
});
