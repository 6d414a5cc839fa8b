import type { App, Build, RecallPlan } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { HEALTH_REFRESH_MS } from '../../../api/reports';
import { Confirm, Modal, type DialogState } from '../../../parts/dialog';
import { CheckField, Form, SelectField, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { ErrorNote, Loading } from '../../../parts/states';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/recall';
import { build as nameOf } from '../../../texts/shared';
import { useWatchedBuild } from './watched-build';
import type { DialogProps } from './dialog-props';
import { useErrorTexts } from './error-texts';
import { EndsPlan } from './plan-actions';

export interface RecallStatus extends RecallPlan {
  readonly devices: { readonly on_recalled: number; readonly on_replacement: number };
}

/** Also a deleted one. */
export type RecalledBuild = Pick<Build, 'id' | 'version' | 'channel'>;

type Target = 'older' | 'embedded' | 'none';

export const useRecall = (app: App, build: number, refetchInterval: number | false = false) =>
  useGet<RecallStatus>(`/apps/${app.id}/builds/${build}/recall`, ['builds', app.id], { refetchInterval });

/** Says first what the recall does to how many devices. */
export function RecallDialog({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const plan = useRecall(app, build.id, open && HEALTH_REFRESH_MS);
  return (
    <Modal title={texts.recallTitle(nameOf(build))} open={open} close={close}>
      {plan.isPending && <Loading what={texts.loading} />}
      {plan.isError && <ErrorNote error={plan.error} retry={() => void plan.refetch()} />}
      {plan.data !== undefined && <RecallForm {...{ app, build, open, close, refresh }} plan={plan.data} />}
    </Modal>
  );
}

interface RecallFormProps extends DialogProps {
  readonly build: Build;
  readonly plan: RecallStatus;
}

function RecallForm({ app, build, plan, open, close, refresh }: RecallFormProps) {
  const { target_version: older, replacement, also_in: copies } = plan;
  const [target, setTarget] = useState<Target>(older === null ? 'embedded' : 'older');
  const isOlder = target === 'older';
  const { field, form } = useForm(
    { reason: '', everywhere: false },
    (draft) =>
      api
        .post(`/apps/${app.id}/builds/${build.id}/recall`, { ...draft, ...(!isOlder && { to: target }) })
        .finally(refresh),
    { toast: texts.recalled(nameOf(build)), done: close },
  );
  useWatchedBuild(app, build, { open, close, busy: form.busy });
  const error = useErrorTexts(form.error);
  const options: (readonly [Target, string])[] = [
    ...(older === null ? [] : [['older', texts.older(older)] as const]),
    ['embedded', texts.embedded],
    ['none', texts.nothing],
  ];
  return (
    <Form {...form} error={error} verb={texts.verb} danger cancel={close}>
      <TextField {...field('reason')} label={texts.reason} help={texts.reasonHelp} required maxLength={500} autoFocus />
      <SelectField
        name="to"
        label={texts.target}
        help={older === null ? texts.noOlder : isOlder ? texts.olderHelp : undefined}
        value={target}
        change={setTarget}
        options={options}
      />
      {copies.length > 0 && (
        <CheckField
          {...field('everywhere')}
          label={texts.everywhere(copies.map(({ channel }) => channel).join(', '))}
        />
      )}
      <p>
        <strong>
          {texts.goBack(
            plan.devices.on_recalled,
            build.version,
            target === 'older' ? older : target === 'embedded' ? texts.nativeBundle : null,
          )}
        </strong>
      </p>
      <p className="note info" role="status">
        {texts.fromNowOn} {texts.run(plan.devices.on_recalled, build.version)}{' '}
        {target === 'older'
          ? texts.getsBuild(older ?? '', replacement?.version ?? '')
          : target === 'embedded'
            ? texts.getsEmbedded
            : texts.getsNothing}
        <EndsPlan app={app} build={build.id} />
      </p>
    </Form>
  );
}

interface UnrecallDialogProps extends DialogState {
  readonly app: App;
  readonly build: RecalledBuild;
  readonly done: () => void;
}

export function UnrecallDialog({ app, build, open, close, done }: UnrecallDialogProps) {
  const unrecall = async (): Promise<void> => {
    await api.post(`/apps/${app.id}/builds/${build.id}/unrecall`);
    showToast(texts.unrecalled(nameOf(build)));
    done();
  };
  return (
    <Confirm
      open={open}
      close={close}
      confirm={unrecall}
      title={texts.unrecallTitle(nameOf(build))}
      verb={texts.unrecallVerb}
    >
      <p>{texts.unrecallEffect}</p>
    </Confirm>
  );
}
