import type { Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, TextArea, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { sayChanged } from './acts';
import type { DialogProps } from './dialog-props';
import { MandatoryField } from './mandatory-field';
import { Meanwhile, useWatchedBuild } from './meanwhile';
import { useRefusal } from './refusals';

/** Of a build what can be changed afterwards. */
export function EditBuild({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const { draft, change, field, form } = useForm(
    draftOf(build),
    (wish) =>
      api.patch<Build>(`/apps/${app.id}/builds/${build.id}`, wishOf(wish), watched.seen.revision).finally(refresh),
    {
      done: (changed) => {
        const { release_notes, min_native_version, mandatory } = watched.seen;
        sayChanged(app, changed, {
          text: `${build.version} in ${build.channel} is changed.`,
          back: [{ of: '', set: { release_notes, min_native_version, mandatory } }],
          refresh,
        });
        close();
      },
    },
  );
  const watched = useWatchedBuild(app, build, { open, close, busy: form.busy });
  const error = useRefusal(watched.judge(form.error));
  return (
    <Modal title={`Edit ${build.version} in ${build.channel}`} keeps open={open} close={close}>
      <Form {...form} error={error} verb="Save" cancel={close}>
        <TextArea {...field('release_notes')} label="Release notes" help="Devices are given them with the update." />
        <TextField
          {...field('min_native_version')}
          label="Minimum native version (optional)"
          placeholder="2.1"
          help="Devices whose native app is older aren’t given this build."
        />
        <MandatoryField {...field('mandatory')} />
        <Meanwhile of={watched} mine={wishOf(draft)} take={(current) => change(draftOf(current))} />
      </Form>
    </Modal>
  );
}

const draftOf = ({ release_notes, min_native_version, mandatory }: Build) => ({
  ...{ release_notes: release_notes ?? '', min_native_version: min_native_version ?? '', mandatory },
});

const wishOf = ({ release_notes, min_native_version, mandatory }: ReturnType<typeof draftOf>) => ({
  ...{ release_notes: release_notes || null, min_native_version: min_native_version || null, mandatory },
});
