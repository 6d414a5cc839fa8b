import type { DomainEvent } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import fc from 'fast-check';
import type { GateCounts } from './gate';
import {
  isLive,
  planDecider,
  type PlanCommand,
  type PlanEvent,
  type PlanRules,
  type PlanState,
  type WebhookAnswer,
} from './plan';

const { given } = specify(planDecider);

const ids = { appId: 7, buildId: 1 };
const basis = { channel: 'production', channelRevision: 4, manualRevision: 0 } as const;
const of = { ...ids, version: '1.0.0', baseline: null, basis };
const rules: PlanRules = {
  steps: [
    { percentage: 5, holdMinutes: 60, minDevices: 100 },
    { percentage: 100, holdMinutes: 0, minDevices: 0 },
  ],
  ...{ failureThreshold: 2, silenceAfterMinutes: 60, silenceThreshold: 50 },
  ...{ windows: [], timeZone: 'UTC', startAt: null, onFail: 'hold' },
};
const set = (changes: Partial<PlanRules> = {}): PlanEvent => ({
  type: 'PlanSet',
  data: { ...of, ...rules, ...changes },
});
const entered = (step: number): PlanEvent => ({
  type: 'StepEntered',
  data: { ...ids, step, percentage: rules.steps[step - 1]!.percentage, basis },
});
const held = (because: 'manual' | 'inconclusive' | 'failed'): PlanEvent => ({
  type: 'PlanHeld',
  data: { ...ids, because },
});
const resumed: PlanEvent = { type: 'PlanResumed', data: ids };
const completed: PlanEvent = { type: 'PlanCompleted', data: ids };
const deleted: PlanEvent = { type: 'PlanAborted', data: { ...ids, because: 'deleted' } };
const due = (step: number): PlanEvent => ({ type: 'StepDue', data: { ...ids, step } });

const counts = (finished: number, failed: number, more: Partial<GateCounts> = {}): GateCounts => ({
  ...{
    finished,
    failed,
    leftOut: 0,
    mostFinished: 1,
    mostFailed: Math.min(1, failed),
    downloaded: 0,
    silent: 0,
    ...more,
  },
});
const message = (part: string) => [expect.stringContaining(part) as string];
const GOOD = counts(1_000, 5);
const BAD = counts(100, 30);

const setPlan = (changes: Partial<PlanRules> = {}): PlanCommand => ({
  ...{ type: 'SetPlan', plan: { ...rules, ...changes }, of },
});

/** The events, at these seconds. */
function at(...timed: readonly (readonly [seconds: number, event: PlanEvent])[]) {
  const start = Date.UTC(2026, 0, 1, 12);
  const state = timed.reduce<PlanState>((before, [seconds, event]) => {
    const time = new Date(start + seconds * 1_000).toISOString();
    // The clock of the writer may show anything.
    return planDecider.evolve(before, event, '2031-05-05T00:00:00.000Z', time);
  }, planDecider.initialState());
  const { turn, dues } = state;
  return {
    state,
    advance: (of: GateCounts, answer?: WebhookAnswer) =>
      planDecider.decide({ type: 'Advance', turn, dues, counts: of, answer }, state),
    types: (of: GateCounts, answer?: WebhookAnswer) =>
      planDecider
        .decide({ type: 'Advance', turn, dues, counts: of, answer }, state)
        .map(({ type }: DomainEvent) => type),
  };
}

describe('a plan', () => {
  it('enters its first step when it is set', () => {
    given().when(setPlan()).then(set(), entered(1));
  });

  it('waits for its start, and for a window', () => {
    const startAt = '2026-01-01T13:00:00.000Z';
    given().when(setPlan({ startAt })).then(set({ startAt }));
    expect(at([0, set({ startAt })], [3_599, due(0)]).types(GOOD)).toEqual([]);
    expect(at([0, set({ startAt })], [3_600, due(0)]).advance(GOOD)).toEqual([entered(1)]);

    const windows = [{ days: ['thu'], from: '14:00', to: '24:00' }] as const;
    given().when(setPlan({ windows })).then(set({ windows }));
    expect(at([0, set({ windows })], [7_199, due(0)]).types(GOOD)).toEqual([]);
    expect(at([0, set({ windows })], [7_200, due(0)]).types(GOOD)).toEqual(['StepEntered']);
    expect(at([0, set({ windows })], [12 * 3_600, due(0)]).types(GOOD)).toEqual([]);
  });

  it('enters a step only when recorded times say that the one before lasted long enough', () => {
    expect(at([0, set()], [0, entered(1)], [3_599, due(1)]).types(GOOD)).toEqual([]);
    expect(at([0, set()], [0, entered(1)], [3_600, due(1)]).types(GOOD)).toEqual(['GateJudged', 'StepEntered']);
    expect(at([0, set()], [0, entered(1)]).types(GOOD)).toEqual([]);
  });

  it('enters at most one step a minute', () => {
    const fast = set({ steps: rules.steps.map((step) => ({ ...step, holdMinutes: 0 })) });
    expect(at([0, fast], [0, entered(1)], [59, due(1)]).types(GOOD)).toEqual([]);
    expect(at([0, fast], [0, entered(1)], [60, due(1)]).types(GOOD)).toEqual(['GateJudged', 'StepEntered']);
  });

  it('enters each step once, whatever is repeated', () => {
    const { state, advance } = at([0, set()], [0, entered(1)], [3_600, due(1)]);
    const { turn, dues } = state;
    const after = advance(GOOD).reduce(
      (before, event) => planDecider.evolve(before, event, '', '2026-01-01T13:00:00.000Z'),
      state,
    );
    const commands: PlanCommand[] = [
      { type: 'Advance', turn, dues, counts: GOOD },
      { type: 'MarkDue', turn, dues },
    ];
    for (const command of commands) expect(planDecider.decide(command, after)).toEqual([]);
    given(set(), entered(1)).when({ type: 'MarkDue', turn: 2, dues: 0 }).then(due(1));
    given(set(), entered(1), due(1)).when({ type: 'MarkDue', turn: 2, dues: 0 }).then();
  });

  it('keeps when it entered each step, and how that ended', () => {
    const [judged] = at([0, set()], [0, entered(1)], [3_600, due(1)]).advance(GOOD);
    const { plan } = at(
      ...([
        [0, set()],
        [0, entered(1)],
        [3_600, due(1)],
      ] as const),
      ...([
        [3_600, judged!],
        [3_601, entered(2)],
        [3_700, { type: 'StepSkipped', data: { ...ids, step: 2 } }],
      ] as const),
    ).state;
    expect(plan?.entered).toEqual([
      { step: 1, at: '2026-01-01T12:00:00.000Z', verdict: 'pass', skipped: false },
      { step: 2, at: '2026-01-01T13:00:01.000Z', verdict: null, skipped: true },
    ]);
  });

  it('completes after its last step', () => {
    const last = at([0, set()], [0, entered(2)], [60, due(2)]);
    expect(last.advance(GOOD).at(-1)).toEqual(completed);
    given(set(), entered(2), completed).when({ type: 'HoldPlan' }).rejects('PLAN_NOT_RUNNING');
    given(set(), entered(2), completed).when(setPlan()).then(set(), entered(1));
  });

  it('is the only one of its build', () => {
    given(set(), entered(1)).when(setPlan()).rejects('PLAN_RUNNING');
    given(set(), entered(1), held('manual')).when(setPlan()).rejects('PLAN_RUNNING');
    given(set(), entered(1), deleted).when(setPlan()).then(set(), entered(1));
  });
});

describe('a gate', () => {
  const atEnd = (changes: Partial<PlanRules> = {}) => at([0, set(changes)], [0, entered(1)], [3_600, due(1)]);

  it('holds without enough devices, and says so', () => {
    expect(atEnd().advance(counts(100, 0))).toEqual([
      { type: 'GateJudged', data: expect.objectContaining({ verdict: 'inconclusive', finished: 100 }) as object },
      held('inconclusive'),
    ]);
    expect(atEnd().types(counts(101, 0))).toEqual(['GateJudged', 'StepEntered']);
  });

  it('holds while the estimate is above the limit and the bound is not', () => {
    expect(atEnd().types(counts(200, 5))).toEqual(['GateJudged', 'PlanHeld']);
  });

  it('holds when devices downloaded the build and are silent', () => {
    expect(atEnd().types({ ...GOOD, downloaded: 100, silent: 50 })).toEqual(['GateJudged', 'PlanHeld']);
    expect(atEnd().types({ ...GOOD, downloaded: 100, silent: 49 })).toEqual(['GateJudged', 'StepEntered']);
  });

  it('takes 1.5 times the failures of the build before as the limit', () => {
    const baseline = { buildId: 3, finished: 1_000, failed: 40 };
    const plan: PlanEvent = { type: 'PlanSet', data: { ...of, ...rules, baseline } };
    expect(at([0, plan], [0, entered(1)], [3_600, due(1)]).types(counts(1_000, 55))).toEqual([
      ...['GateJudged', 'StepEntered'],
    ]);
    expect(atEnd().types(counts(1_000, 55))).toEqual(['GateJudged', 'PlanHeld']);
  });

  it.each([
    ['hold', held('failed')],
    ['halt', undefined],
    ['recall', undefined],
  ] as const)('on failure does what on_fail says: %s', (onFail, event) => {
    const [judged, then] = given(set({ onFail }), entered(1)).when({ type: 'JudgeReports', counts: BAD }).events;
    expect(judged).toMatchObject({
      type: 'GateJudged',
      data: { verdict: 'fail', failed: 30, finished: 100, limit: 0.02 },
    });
    const action = { type: onFail, reason: expect.stringContaining('the limit is 2%') as string, basis };
    expect(then).toEqual(event ?? { type: 'PlanAborted', data: { ...ids, because: 'failed', action } });
  });

  it('fails while the plan is held too, and once', () => {
    given(set(), entered(1), held('manual')).when({ type: 'JudgeReports', counts: GOOD }).then();
    expect(given(set(), entered(1), held('manual')).when({ type: 'JudgeReports', counts: BAD }).events).toHaveLength(2);
    given(set(), entered(1), held('failed')).when({ type: 'JudgeReports', counts: BAD }).then();
    given(set(), entered(1), deleted).when({ type: 'JudgeReports', counts: BAD }).then();
  });

  it('neither fails nor passes by one address', () => {
    const one = (failed: number) => counts(3, failed, { leftOut: 997, mostFinished: 3, mostFailed: failed });
    given(set(), entered(1))
      .when({ type: 'JudgeReports', counts: one(3) })
      .then();
    expect(at([0, set()], [0, entered(1)], [3_600, due(1)]).types(one(0))).toEqual(['GateJudged', 'PlanHeld']);
    const needsOne = { steps: [{ percentage: 5, holdMinutes: 60, minDevices: 1 }] };
    expect(atEnd(needsOne).types(one(0))).toEqual(['GateJudged', 'PlanHeld']);
  });

  it('forgets what was counted when a person continues after a failure', () => {
    const [judged, then] = given(set(), entered(1)).when({ type: 'JudgeReports', counts: BAD }).events;
    const continued = [set(), entered(1), judged!, then!, resumed];
    given(...continued)
      .when({ type: 'JudgeReports', counts: BAD })
      .then();
    given(...continued)
      .when({ type: 'JudgeReports', counts: counts(200, 32) })
      .then();
    expect(given(...continued).when({ type: 'JudgeReports', counts: counts(200, 60) }).events).toHaveLength(2);
  });
});

describe('a webhook gate', () => {
  const hooked = { webhookUrl: 'https://gate.example.com/' } as const;
  const atEnd = (changes: Partial<PlanRules> = {}) =>
    at([0, set({ ...hooked, ...changes })], [0, entered(1)], [3_600, due(1)]);
  const pass: WebhookAnswer = { verdict: 'pass', reason: 'No new crashes.' };
  const wait: WebhookAnswer = { verdict: 'wait', reason: 'The webhook did not answer in time.' };
  const fail: WebhookAnswer = { verdict: 'fail', reason: '12 new crashes.' };

  it('has to pass at the end of a step, in addition to the reports', () => {
    expect(atEnd().advance(GOOD, pass)).toEqual([
      { type: 'GateJudged', data: expect.objectContaining({ verdict: 'pass', webhook: pass }) as object },
      entered(2),
    ]);
    for (const answer of [wait, undefined]) expect(atEnd().advance(GOOD, answer)).toEqual([]);
  });

  it('cannot hasten a step, nor make one pass without enough devices', () => {
    expect(at([0, set(hooked)], [0, entered(1)], [3_599, due(1)]).types(GOOD, pass)).toEqual([]);
    expect(at([0, set(hooked)], [0, entered(1)]).types(GOOD, pass)).toEqual([]);
    for (const answer of [pass, undefined]) {
      expect(atEnd().types(counts(100, 0), answer)).toEqual(['GateJudged', 'PlanHeld']);
    }
    expect(atEnd().types(BAD, pass)).toEqual(['GateJudged', 'PlanHeld']);
  });

  it('is not needed for the first step, nor where a person skips one', () => {
    const startAt = '2026-01-01T13:00:00.000Z';
    expect(at([0, set({ ...hooked, startAt })], [3_600, due(0)]).types(GOOD)).toEqual(['StepEntered']);
    expect(given(set(hooked), entered(1)).when({ type: 'SkipStep' }).events.at(-1)).toEqual(entered(2));
  });

  it.each([
    ['hold', held('failed')],
    ['halt', undefined],
    ['recall', undefined],
  ] as const)('that fails has the consequences of a failed gate at any time: %s', (onFail, event) => {
    const reason = 'The webhook gate failed: 12 new crashes.';
    const action = { type: onFail, reason, basis };
    const then = event ?? { type: 'PlanAborted', data: { ...ids, because: 'failed', action } };
    const judged = expect.objectContaining({ verdict: 'fail', webhook: fail, reasons: [reason] }) as object;
    const expected = [{ type: 'GateJudged', data: judged }, then];
    const plan = [set({ ...hooked, onFail }), entered(1)];
    expect(atEnd({ onFail }).advance(GOOD, fail)).toEqual(expected);
    for (const status of [[], [held('manual')], [held('inconclusive')]]) {
      const { events } = given(...plan, ...status).when({ type: 'JudgeReports', counts: GOOD, answer: fail });
      expect(events).toEqual(expected);
    }
    for (const status of [[held('failed')], [deleted], [completed]]) {
      given(...plan, ...status)
        .when({ type: 'JudgeReports', counts: GOOD, answer: fail })
        .then();
    }
  });

  it('changes nothing between the steps unless it fails, and nothing of a plan without it', () => {
    for (const answer of [pass, wait, undefined]) {
      given(set(hooked), entered(1)).when({ type: 'JudgeReports', counts: GOOD, answer }).then();
    }
    given(set(), entered(1)).when({ type: 'JudgeReports', counts: GOOD, answer: fail }).then();
    expect(at([0, set()], [0, entered(1)], [3_600, due(1)]).types(GOOD, fail)).toEqual(['GateJudged', 'StepEntered']);
  });

  it('that failed leaves the reports counted when a person continues', () => {
    const plan = [set(hooked), entered(1)];
    const failed = given(...plan).when({ type: 'JudgeReports', counts: GOOD, answer: fail }).events;
    const state = at(...[set(hooked), entered(1), ...failed, resumed].map((event) => [0, event] as const), [
      3_600,
      due(1),
    ]);
    expect(state.types(GOOD, pass)).toEqual(['GateJudged', 'StepEntered']);
    expect(state.types(BAD, pass)).toEqual(['GateJudged', 'PlanHeld']);
    expect(state.state.plan?.forgiven.times).toBe(0);
  });
});

describe('a person', () => {
  it('holds and resumes: the step begins again', () => {
    given(set(), entered(1)).when({ type: 'HoldPlan' }).then(held('manual'));
    given(set(), entered(1), held('manual')).when({ type: 'HoldPlan' }).then();
    given(set(), entered(1), held('manual')).when({ type: 'ResumePlan' }).then(resumed);
    given(set(), entered(1)).when({ type: 'ResumePlan' }).then();
    const again = (seconds: number) =>
      at([0, set()], [0, entered(1)], [10, held('manual')], [20, resumed], [seconds, due(1)]);
    expect(again(3_619).types(GOOD)).toEqual([]);
    expect(again(3_620).types(GOOD)).toEqual(['GateJudged', 'StepEntered']);
    expect(at([0, set()], [0, entered(1)], [10, held('manual')], [3_600, due(1)]).types(GOOD)).toEqual([]);
  });

  it('skips a step, also the wait for the first, and the last', () => {
    const skipped = (step: number): PlanEvent => ({ type: 'StepSkipped', data: { ...ids, step } });
    given(set()).when({ type: 'SkipStep' }).then(skipped(0), entered(1));
    given(set(), entered(1), held('failed')).when({ type: 'SkipStep' }).then(skipped(1), entered(2));
    given(set(), entered(2)).when({ type: 'SkipStep' }).then(skipped(2), completed);
  });

  const changed = (steps: PlanRules['steps']): PlanEvent => ({ type: 'PlanStepsChanged', data: { ...ids, steps } });
  const [five, all] = rules.steps as [PlanRules['steps'][number], PlanRules['steps'][number]];
  const half = { percentage: 50, holdMinutes: 30, minDevices: 10 };
  const shorter = { ...five, holdMinutes: 10 };
  const change = (steps: PlanRules['steps'], ifRevision?: number): PlanCommand => ({
    ...{ type: 'ChangeSteps', steps, ifRevision },
  });

  it('changes the steps that are left, and how long the present one lasts', () => {
    given(set())
      .when(change([half]))
      .then(changed([half]));
    const entering = given(set(), entered(1));
    entering.when(change([five, half, all])).then(changed([five, half, all]));
    entering.when(change([five])).then(changed([five]));
    entering.when(change(rules.steps)).then();
    given(set(), entered(1), held('failed'))
      .when(change([shorter]))
      .then(changed([shorter]));
    const after = (seconds: number) =>
      at([0, set()], [0, entered(1)], [300, changed([shorter, half])], [seconds, due(1)]);
    expect(after(599).types(GOOD)).toEqual([]);
    expect(after(600).advance(GOOD).at(-1)).toEqual({
      type: 'StepEntered',
      data: { ...ids, step: 2, percentage: 50, basis },
    });
    expect(
      at([0, set()], [0, entered(1)], [300, changed([shorter])], [600, due(1)])
        .advance(GOOD)
        .at(-1),
    ).toEqual(completed);
  });

  it('changes no step that the plan has entered, and no plan that is over', () => {
    const steps = message('step 2');
    given(set(), entered(1), entered(2))
      .when(change([half, all]))
      .rejects({ errors: { steps } });
    given(set(), entered(1), entered(2))
      .when(change([five, half]))
      .rejects({ errors: { steps } });
    given(set(), entered(1), entered(2))
      .when(change([five]))
      .rejects({ errors: { steps } });
    given(set(), entered(1))
      .when(change([half, all]))
      .rejects({ errors: { steps: message('5') } });
    given(set(), entered(1), deleted)
      .when(change([five]))
      .rejects('PLAN_NOT_RUNNING');
    given()
      .when(change([five]))
      .rejects('PLAN_NOT_FOUND');
  });

  it('changes the steps of the plan that they have read, and no later one', () => {
    given(set(), entered(1), due(1))
      .when(change([five], 2))
      .then(changed([five]));
    given(set(), entered(1), held('manual'))
      .when(change([five], 2))
      .rejects('PLAN_CHANGED');
    given(set(), entered(1), changed([five]), deleted, set(), entered(1))
      .when(change([five], 5))
      .rejects({ code: 'PLAN_CHANGED', details: { revision: 6 } });
  });

  it('deletes it once', () => {
    given(set(), entered(1)).when({ type: 'DeletePlan' }).then(deleted);
    given(set(), entered(1), deleted).when({ type: 'DeletePlan' }).rejects('PLAN_NOT_RUNNING');
    given().when({ type: 'DeletePlan' }).rejects('PLAN_NOT_FOUND');
    given().when({ type: 'SkipStep' }).rejects('PLAN_NOT_FOUND');
  });

  it('ends it by changing the build after it was set, and not by a change before', () => {
    const change = 'RolloutChanged';
    given(set(), entered(1)).when({ type: 'EndPlan', change, channelRevision: 4 }).then();
    given(set(), entered(1), held('manual'))
      .when({ type: 'EndPlan', change, channelRevision: 5 })
      .then({ type: 'PlanAborted', data: { ...ids, because: 'changed', change } });
    given().when({ type: 'EndPlan', change, channelRevision: 5 }).then();
    given(set(), completed).when({ type: 'EndPlan', change, channelRevision: 5 }).then();
  });
});

it('whatever happens in whatever order, steps follow each other and the state is defined', () => {
  const command = fc.oneof(
    ...(
      ['HoldPlan', 'ResumePlan', 'SkipStep', 'DeletePlan', 'SetPlan', 'Change', 'End', 'Due', 'Good', 'Bad'] as const
    ).map((name) => fc.constant(name)),
  );
  const onFail = fc.constantFrom('hold', 'halt', 'recall');
  fc.assert(
    fc.property(fc.array(fc.tuple(command, fc.nat(5_000)), { maxLength: 60 }), onFail, (given, onFail) => {
      let state = planDecider.initialState();
      let now = Date.UTC(2026, 0, 1);
      let since = 0;
      for (const [name, seconds] of [['SetPlan', 0] as const, ...given]) {
        now += seconds * 1_000;
        const { turn, dues, plan } = state;
        const commands: Readonly<Record<typeof name, PlanCommand>> = {
          ...{ HoldPlan: { type: 'HoldPlan' }, ResumePlan: { type: 'ResumePlan' }, SkipStep: { type: 'SkipStep' } },
          ...{ DeletePlan: { type: 'DeletePlan' }, SetPlan: setPlan({ onFail }) },
          Change: {
            type: 'ChangeSteps',
            steps: (plan ?? rules).steps.map((step, at) =>
              at < (plan?.step ?? 0) - 1 ? step : { ...step, minDevices: step.minDevices + 1 },
            ),
          },
          End: { type: 'EndPlan', change: 'BuildPaused', channelRevision: 9 },
          Due: { type: 'MarkDue', turn, dues },
          Good: { type: 'Advance', turn, dues, counts: GOOD },
          Bad: { type: 'JudgeReports', counts: BAD },
        };
        let events: readonly PlanEvent[] = [];
        try {
          events = planDecider.decide(commands[name], state);
        } catch (error) {
          expect(error).toMatchObject({ code: name === 'SetPlan' ? 'PLAN_RUNNING' : 'PLAN_NOT_RUNNING' });
          expect(isLive(plan)).toBe(name === 'SetPlan');
        }
        for (const event of events) {
          if (event.type === 'StepEntered') {
            expect(event.data.step).toBe(name === 'SetPlan' ? 1 : (plan?.step ?? 0) + 1);
            if (name === 'Good') expect(Date.parse(plan?.dueAt ?? '') - since).toBeGreaterThanOrEqual(3_600_000);
          }
          if (event.type === 'StepEntered' || event.type === 'PlanResumed') since = now;
          state = planDecider.evolve(state, event, '', new Date(now).toISOString());
        }
      }
    }),
  );
});
