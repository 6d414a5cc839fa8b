import type { App, Build, OpenPlan, Plan } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { eventWords } from '../../../parts/event-words';
import { type Head, Facts, numbers, rowHead, Section, Table } from '../../../parts/page';
import { QueryState } from '../../../parts/states';
import { actorWords, type TimelineEntry } from '../../../parts/timeline';
import { Badge, Time, type Tone } from '../../../parts/values';
import * as texts from '../../../texts/plan';
import { buildId } from '../../../texts/shared';
import { isLive, useOpenPlan, usePlan } from '../../builds/data';
import { useBuildActions } from './build-dialogs';
import { type PlanAction, PlanActionDialog } from './plan-actions';
import { PlanStepsDialog } from './plan-steps-dialog';
import { PlanTimeline, StepLine, VerdictBadge } from './plan-timeline';
import { isReplacement } from './serving';

const TONES: Readonly<Record<Plan['status'], Tone>> = {
  running: 'busy',
  held: 'warn',
  completed: 'good',
  failed: 'bad',
  aborted: 'dim',
};

interface OfBuild {
  readonly app: App;
  readonly build: Build;
}

/** In the state of a build: that its plan is held, and what this means. */
export function HeldPlan({ app, build }: { readonly app: number; readonly build: number }) {
  const isHeld = useOpenPlan(app, build)?.status === 'held';
  return (
    isHeld && (
      <>
        <PlanBadge status="held" /> <small className="dim">{texts.heldMeaning}</small>
      </>
    )
  );
}

/** In a list: that a build has a plan, and whether it runs. */
export function PlanSign({ app, build }: { readonly app: number; readonly build: number }) {
  const plan = useOpenPlan(app, build);
  return plan !== undefined && <PlanBadge status={plan.status} />;
}

const PlanBadge = ({ status }: Pick<Plan, 'status'>) => <Badge tone={TONES[status]}>{texts.sign[status]}</Badge>;

/** On the card of a build: how far its plan is. Its sign is there before the details are loaded. */
export function PlanLines({ app, build }: OfBuild) {
  const open = useOpenPlan(app.id, build.id);
  return open !== undefined && <Lines app={app} build={build} open={open} />;
}

function Lines({ app, build, open }: OfBuild & { readonly open: OpenPlan }) {
  const plan = usePlan(app, build.id).data;
  if (!plan) {
    return (
      <p className="plan-lines">
        <PlanBadge status={open.status} />
      </p>
    );
  }
  const { status, step, steps, next_step_at: next } = plan;
  return (
    <p className="plan-lines">
      <StepLine plan={plan} />
      <PlanBadge status={status} />{' '}
      {status === 'running' ? texts.stepOf(step, steps.length) : <Words {...{ app, build, plan }} />}
      {next !== null && (
        <>
          , {texts.nextInShort(step, steps.length)} <Time at={next} ahead /> {texts.atTheEarliest}
        </>
      )}
    </p>
  );
}

/** The plan of a build that was set last, or an offer to set one. */
export function PlanSection({ app, build }: OfBuild) {
  const start = useBuildActions();
  const plan = usePlan(app, build.id);
  const [action, setAction] = useState<PlanAction>();
  const [editing, setEditing] = useState(false);
  const known = plan.data;
  const canHave = build.status === 'active' && !isReplacement(build);
  if (known === null && !canHave) return null;
  return (
    <Section
      title={texts.section}
      actions={
        known && isLive(known) ? (
          <>
            <Button onClick={() => setEditing(true)}>{texts.edit}</Button>
            <Button onClick={() => setAction('remove')}>{texts.remove}</Button>
            <Button kind="danger" onClick={() => start({ kind: 'end-plan', action: 'halt', build })}>
              {texts.stop}
            </Button>
          </>
        ) : (
          canHave &&
          known !== undefined && <Button onClick={() => start({ kind: 'plan', build })}>{texts.setPlan}</Button>
        )
      }
    >
      <QueryState of={plan} what={texts.loading} />
      {known === null && <p className="dim">{texts.none}</p>}
      {known && (
        <>
          <Details app={app} build={build} plan={known} start={setAction} />
          {editing && isLive(known) && (
            <PlanStepsDialog {...{ app, build }} plan={known} open close={() => setEditing(false)} />
          )}
          {action !== undefined && (
            <PlanActionDialog {...{ app, build, action }} plan={known} open close={() => setAction(undefined)} />
          )}
        </>
      )}
    </Section>
  );
}

const percentageOf = ({ step, steps }: Plan): number | null =>
  step === null ? null : (steps[step - 1]?.percentage ?? null);

/** Its state, in words. */
const Words = ({ app, build, plan }: OfPlan) => (
  <>
    {texts.state(plan, percentageOf(plan), plan.change === null ? null : eventWords(plan.change))}{' '}
    {plan.status === 'held' && plan.because === 'manual' && <HeldBy app={app} build={build} />}
  </>
);

/** Who holds it, and since when: as the history has it. */
function HeldBy({ app, build }: OfBuild) {
  const path = `/apps/${app.id}/builds/${build.id}/history${query({ type: texts.heldEvent, per_page: 1 })}`;
  const entry = useList<TimelineEntry>(path, ['history', app.id]).data?.data[0];
  if (entry === undefined) return texts.personHeld;
  return (
    <>
      {texts.heldBy(actorWords(entry))} <Time at={entry.at} />.
    </>
  );
}

interface OfPlan extends OfBuild {
  readonly plan: Plan;
}

interface DetailsProps extends OfPlan {
  readonly start: (action: PlanAction) => void;
}

function Details({ app, build, plan, start }: DetailsProps) {
  const { status, step, steps, hold_until: over, next_step_at: next, baseline, limit_percent: limit, warnings } = plan;
  const isJudged = status === 'failed' || (status === 'held' && plan.because !== 'manual');
  const clock = step === null ? texts.firstStep : step === steps.length ? texts.completes : texts.nextStep;
  return (
    <>
      <p role="status">
        <Badge tone={TONES[status]}>{texts.statuses[status]}</Badge> <Words {...{ app, build, plan }} />
      </p>
      {isJudged && plan.judged !== null && <Reasons of={plan.judged.reasons} />}
      {status === 'running' && <Warnings of={warnings.map(texts.warning)} />}
      <PlanTimeline plan={plan} start={start} />
      <Facts
        facts={{
          ...(over !== null && over !== next && { [texts.stepOver]: <Exact at={over} /> }),
          ...(next !== null && { [clock]: <Exact at={next} /> }),
          ...(plan.template !== null && { [texts.template]: plan.template }),
          [texts.onFail]: texts.onFails[plan.on_fail],
          [texts.limit]:
            baseline !== null && limit > plan.gates.failures.threshold_percent ? (
              <>
                {texts.fromBaseline(texts.percent(limit))}{' '}
                <Link to={`/apps/${app.id}/builds/${baseline.build_id}`}>{buildId(baseline.build_id)}</Link>
              </>
            ) : (
              texts.percent(limit)
            ),
          [texts.windows]: windowsOf(plan),
          ...(plan.gates.webhook !== null && {
            [texts.webhookGate]: <WebhookGate plan={plan} url={plan.gates.webhook.url} />,
          }),
          [texts.set]: <Time at={plan.set_at} />,
          ...(plan.ended_at !== null && { [texts.ended]: <Time at={plan.ended_at} /> }),
        }}
      />
      <Evidence plan={plan} isJudged={isJudged} />
    </>
  );
}

const Reasons = ({ of: reasons }: { readonly of: readonly string[] }) => (
  <ul hidden={reasons.length === 0}>
    {reasons.map((reason) => (
      <li key={reason}>{reason}</li>
    ))}
  </ul>
);

/** The first one in view. */
function Warnings({ of: [first, ...others] }: { readonly of: readonly string[] }) {
  if (first === undefined) return null;
  return (
    <div className="note warn">
      <p>{first}</p>
      {others.length > 0 && (
        <details>
          <summary>{texts.moreWarnings(others.length)}</summary>
          <Reasons of={others} />
        </details>
      )}
    </div>
  );
}

const Exact = ({ at }: { readonly at: string }) => (
  <>
    <Time at={at} ahead />{' '}
    <small>{new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}</small>
  </>
);

const ANSWERS = { pass: 'good', fail: 'bad', wait: 'busy' } as const;

/** Its address, and what it answered. */
function WebhookGate({ plan: { webhook_answer: answer }, url }: { readonly plan: Plan; readonly url: string }) {
  return (
    <>
      <code>{url}</code>{' '}
      {answer === null ? (
        <span className="dim">{texts.noAnswer}</span>
      ) : (
        <>
          <Badge tone={ANSWERS[answer.verdict]}>{texts.webhookAnswers[answer.verdict]}</Badge> {answer.reason}{' '}
          <small>
            <Time at={answer.at} />
          </small>
        </>
      )}
    </>
  );
}

function windowsOf({ windows, time_zone: zone }: Plan): string {
  if (windows.length === 0) return texts.always;
  const list = windows.map(({ days, from, to }) =>
    texts.window(days.map((day) => texts.weekdays[day]).join(', '), from, to),
  );
  return texts.inZone(list.join('; '), zone);
}

type Counts = NonNullable<Plan['now']> & Partial<Pick<NonNullable<Plan['judged']>, 'silent' | 'downloaded'>>;

/** What a verdict is based on. */
const FIGURES: readonly (readonly [name: string, value: (counts: Counts) => string])[] = [
  [texts.finished, ({ finished }) => finished.toLocaleString()],
  [texts.failed, ({ failed }) => failed.toLocaleString()],
  [texts.rate, ({ failed_percent: rate }) => texts.percent(rate)],
  [texts.bound, ({ at_least_percent: bound }) => texts.percent(bound)],
  [texts.leftOut, ({ left_out: count }) => count.toLocaleString()],
  [texts.silent, ({ silent, downloaded }) => (silent === undefined ? '' : texts.silentOf(silent, downloaded ?? 0))],
];

/** The numbers now, and those of the last verdict, with its reasons unless they are shown already. */
function Evidence({ plan, isJudged }: { readonly plan: Plan; readonly isJudged: boolean }) {
  const { now, judged } = plan;
  const columns: (readonly [Head, (figure: (typeof FIGURES)[number]) => string])[] = [
    [rowHead(texts.reports), ([name]) => name],
  ];
  if (now !== null) columns.push([numbers(texts.now), ([, value]) => value(now)]);
  if (judged !== null) columns.push([numbers(texts.lastVerdict), ([, value]) => value(judged)]);
  return (
    <>
      {now === null && isLive(plan) && plan.step !== null && plan.because !== 'failed' && (
        <p className="dim">{texts.notCounted}</p>
      )}
      {columns.length > 1 && (
        <div className="plan-figures">
          <p className="help">{texts.countsHelp}</p>
          <Table
            label={texts.evidence}
            rows={judged === null ? FIGURES.slice(0, -1) : FIGURES}
            keyOf={([name]) => name}
            columns={columns}
          />
        </div>
      )}
      {judged !== null && (
        <p>
          {texts.lastVerdict}: <Verdict of={judged} />
        </p>
      )}
      {judged !== null && !isJudged && <Reasons of={judged.reasons} />}
    </>
  );
}

const Verdict = ({ of: { verdict, step, at } }: { readonly of: NonNullable<Plan['judged']> }) => (
  <>
    <VerdictBadge of={verdict} /> {texts.verdictOf(step)}, <Time at={at} />
  </>
);
