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
  readonly toast: (build: string) => string;
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
    toast: texts.wasHeld,
    danger: false,
  },
  resume: {
    title: texts.resumeTitle,
    effect: (plan) => texts.resumeEffect(presentOf(plan)?.hold_minutes ?? null) + forgives(plan),
    verb: texts.resumeVerb,
    call: (path) => api.post(`${path}/resume`),
    toast: texts.wasResumed,
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

interface PlanActionProps extends DialogState {
  readonly app: App;
  readonly build: Build;
  readonly plan: Plan;
  readonly action: PlanAction;
}

/** Says first what the action does. Closes if the plan moves on meanwhile, because the action would do something else. */
export function PlanActionDialog({ app, build, plan, action, open, close }: PlanActionProps) {
  const client = useQueryClient();
  const { title, effect, verb, call, toast, danger } = ACTIONS[action];
  const [seen] = useState(plan);
  const [busy, setBusy] = useState(false);
  const isOther = !busy && (plan.step !== seen.step || plan.status !== seen.status || plan.set_at !== seen.set_at);
  useEffect(() => {
    if (!isOther) return;
    showToast(texts.changed(nameOf(build)));
    close();
  }, [isOther, build, close]);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await call(`/apps/${app.id}/builds/${build.id}/plan`);
      showToast(toast(nameOf(build)));
    } catch (error) {
      setBusy(false);
      throw error;
    } finally {
      refreshBuilds(client, app);
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
