import { useQueryClient } from '@tanstack/react-query';
import type { App, Build, Plan } from '@sluice/contracts';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client';
import { Confirm, type DialogState } from '../../../parts/dialog';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/plan';
import { build as nameOf } from '../../../texts/shared';
import { refreshBuilds, useOpenPlan } from '../../builds/data';
import { runUndoable, type UndoableKind } from './undoable';

export type PlanAction = 'hold' | 'resume' | 'skip' | 'remove';

interface Action {
  readonly title: (build: string) => string;
  readonly effect: (plan: Plan) => string;
  readonly verb: string;
  readonly call: (path: string) => Promise<Plan>;
  readonly toast: (build: string, plan: Plan) => string;
  /** The path of what undoes it; left out: nothing does. */
  readonly undo?: (plan: Plan) => 'hold' | 'resume' | undefined;
  /** It can't be undone. */
  readonly danger: boolean;
}

const presentOf = ({ step, steps }: Plan) => (step === null ? undefined : steps[step - 1]);
/** What a person lets pass who continues a plan that failed. */
const forgives = ({ because, webhook_answer: answer }: Plan): string =>
  because !== 'failed' ? '' : ` ${answer?.verdict === 'fail' ? texts.asksAgain : texts.forgives}`;

const ACTIONS: Readonly<Record<PlanAction, Action>> = {
  hold: {
    title: texts.holdTitle,
    effect: (plan) => texts.holdEffect(presentOf(plan)?.percentage ?? null),
    verb: texts.holdVerb,
    call: (path) => api.post(`${path}/hold`),
    toast: (build, { step }) => (step === null ? texts.wasHeld(build) : texts.wasHeldInStep(build)),
    undo: () => 'resume',
    danger: false,
  },
  resume: {
    title: texts.resumeTitle,
    effect: (plan) => texts.resumeEffect(presentOf(plan)?.hold_minutes ?? null) + forgives(plan),
    verb: texts.resumeVerb,
    call: (path) => api.post(`${path}/resume`),
    toast: texts.wasResumed,
    // A plan that its gate held would be held by a person then.
    undo: ({ because }) => (because === 'manual' ? 'hold' : undefined),
    danger: false,
  },
  skip: {
    title: texts.skipTitle,
    effect: (plan) => {
      const next = plan.steps[plan.step ?? 0];
      if (next === undefined) return texts.skipLast(presentOf(plan)?.percentage ?? 100);
      return texts.skipEffect(next.percentage) + forgives(plan);
    },
    verb: texts.skipVerb,
    call: (path) => api.post(`${path}/skip`),
    toast: texts.wasSkipped,
    danger: true,
  },
  remove: {
    title: texts.removeTitle,
    effect: () => texts.removeEffect,
    verb: texts.removeVerb,
    call: (path) => api.delete(path),
    toast: texts.wasRemoved,
    danger: true,
  },
};

/** @throws Error when the plan has changed since */
async function undoAction(path: string, back: 'hold' | 'resume', revision: number): Promise<void> {
  if ((await api.get<Plan>(path)).revision !== revision) throw new Error(texts.planChanged);
  await api.post(`${path}/${back}`);
}

interface PlanActionProps extends DialogState {
  readonly app: App;
  readonly build: Build;
  readonly plan: Plan;
  readonly action: PlanAction;
}

/** Says first what the action does. Closes if the plan moves on meanwhile, because the action would do something else. */
export function PlanActionDialog({ app, build, plan, action, open, close }: PlanActionProps) {
  const client = useQueryClient();
  const { title, effect, verb, call, toast, undo, danger } = ACTIONS[action];
  const path = `/apps/${app.id}/builds/${build.id}/plan`;
  const [seen] = useState(plan);
  const [busy, setBusy] = useState(false);
  const isOther = !busy && (plan.step !== seen.step || plan.status !== seen.status || plan.set_at !== seen.set_at);
  useEffect(() => {
    if (!isOther) return;
    showToast(texts.changed(nameOf(build)));
    close();
  }, [isOther, build, close]);
  const refresh = (): void => refreshBuilds(client, app);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      const { revision } = await call(path);
      const back = undo?.(seen);
      showToast(toast(nameOf(build), seen), back && (() => undoAction(path, back, revision).finally(refresh)));
    } catch (error) {
      setBusy(false);
      throw error;
    } finally {
      refresh();
    }
  };
  return (
    <Confirm {...{ open, close, confirm, verb, danger }} title={title(nameOf(build))}>
      <p>{effect(seen)}</p>
    </Confirm>
  );
}

/** What ends the plan of a build, and can be undone but for that. */
export type PlanEnd = Exclude<UndoableKind, 'resume'>;

interface EndPlanProps extends DialogState {
  readonly app: App;
  readonly build: Build;
  readonly action: PlanEnd;
  readonly refresh: () => void;
}

/** Asks before a change of a build that ends its plan. */
export function EndPlanDialog({ app, build, action, open, close, refresh }: EndPlanProps) {
  return (
    <Confirm
      open={open}
      close={close}
      confirm={() => runUndoable(app, build, action, refresh)}
      title={texts.endTitle[action](nameOf(build))}
      verb={texts.endVerb[action]}
    >
      <p>
        {texts.endEffect[action]} {texts.endsForGood}
      </p>
    </Confirm>
  );
}

/** Added to what a dialog says that a change does. */
export function EndsPlan({ app, build }: { readonly app: App; readonly build: number }) {
  const plan = useOpenPlan(app.id, build);
  return plan !== undefined && plan.status !== 'failed' && <> {texts.ends}</>;
}
