import { useQueryClient } from '@tanstack/react-query';
import type { App, Build, Plan } from '@sluice/contracts';
import { useEffect, useState } from 'react';
import { api, ApiError } from '../../../api/client';
import { Button } from '../../../parts/button';
import { type DialogState, Modal } from '../../../parts/dialog';
import { Form } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/plan';
import { build as nameOf } from '../../../texts/shared';
import { isLive, refreshBuilds } from '../../builds/data';
import { errorMessage, useErrorTexts } from './error-texts';
import { Steps } from './plan-dialog';
import { stepDrafts, stepsOf } from './plan-draft';

interface PlanStepsDialogProps extends DialogState {
  readonly app: App;
  readonly build: Build;
  /** As it is now. */
  readonly plan: Plan;
}

/** The steps that can change: the present one, and those after it. */
const draftOf = ({ step, steps }: Plan) => ({ steps: stepDrafts(steps.slice(Math.max(step ?? 0, 1) - 1)) });

/** Changes the steps that a plan has not left. What others change meanwhile is shown, and nothing is saved until the person has seen it. */
export function PlanStepsDialog({ app, build, plan, open, close }: PlanStepsDialogProps) {
  const client = useQueryClient();
  const path = `/apps/${app.id}/builds/${build.id}/plan`;
  const refresh = (): void => refreshBuilds(client, app);
  const [seen, setSeen] = useState(plan);
  const save = (steps: unknown, revision: number) => api.patch<Plan>(path, { steps }, revision).finally(refresh);
  const left = seen.steps.slice(0, Math.max(seen.step ?? 0, 1) - 1);
  const { draft, change, form } = useForm(
    draftOf(plan),
    ({ steps }) => save([...left, ...stepsOf(steps)], seen.revision),
    {
      done: ({ revision }) => {
        showToast(texts.wasChanged(nameOf(build)), () =>
          save(seen.steps, revision).catch((error: unknown) => {
            throw new Error(errorMessage(error), { cause: error });
          }),
        );
        close();
      },
    },
  );
  const isOver = !isLive(plan);
  useEffect(() => {
    if (!isOver) return;
    showToast(texts.changed(nameOf(build)));
    close();
  }, [isOver, build, close]);
  const isNewer = !form.busy && plan.revision > seen.revision;
  const isKnown = isNewer && form.error instanceof ApiError && form.error.code === 'PLAN_CHANGED';
  const error = useErrorTexts(isKnown ? null : form.error);
  return (
    <Modal title={texts.editTitle(nameOf(build))} wide keeps open={open} close={close}>
      <Form {...form} error={error} verb={texts.save} cancel={close}>
        {left.length > 0 && <p className="dim">{texts.stepsLeft(left.map(({ percentage }) => percentage))}</p>}
        <Steps
          steps={draft.steps}
          {...(seen.step !== null && { present: seen.step })}
          change={(steps) => change({ steps })}
        />
        {isNewer && (
          <div className="note warn" role="alert">
            <p>
              <strong>{texts.changedElsewhere}</strong> {texts.nowIs(plan)}
            </p>
            <div className="buttons">
              <Button
                onClick={() => {
                  change(draftOf(plan));
                  setSeen(plan);
                }}
              >
                {texts.useTheirs}
              </Button>
              {plan.step === seen.step && <Button onClick={() => setSeen(plan)}>{texts.keepMine}</Button>}
            </div>
          </div>
        )}
      </Form>
    </Modal>
  );
}
