import type { Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, TextArea, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { ConcurrentChanges, useWatchedBuild } from './concurrent-changes';
import type { DialogProps } from './dialog-props';
import { MandatoryField } from './mandatory-field';
import { useErrorTexts } from './error-texts';
import { showUndoToast } from './undoable';

/** Edits the members of a build that can be changed after the upload. */
export function EditBuild({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const { draft, change, field, form } = useForm(
    draftOf(build),
    (edited) =>
      api.patch<Build>(`/apps/${app.id}/builds/${build.id}`, changesOf(edited), watched.seen.revision).finally(refresh),
    {
      done: (changed) => {
        const { release_notes, min_native_version, mandatory } = watched.seen;
        showUndoToast(app, changed, {
          text: texts.saved(nameOf(build)),
          back: [{ of: '', set: { release_notes, min_native_version, mandatory } }],
          refresh,
        });
        close();
      },
    },
  );
  const watched = useWatchedBuild(app, build, { open, close, busy: form.busy });
  const error = useErrorTexts(watched.judge(form.error));
  return (
    <Modal title={texts.editTitle(nameOf(build))} keeps open={open} close={close}>
      <Form {...form} error={error} verb={texts.save} cancel={close}>
        <TextArea {...field('release_notes')} label={texts.releaseNotes} help={texts.releaseNotesHelp} />
        <TextField
          {...field('min_native_version')}
          label={texts.minNative}
          placeholder={texts.minNativeExample}
          help={texts.minNativeHelp}
        />
        <MandatoryField {...field('mandatory')} />
        <ConcurrentChanges of={watched} mine={changesOf(draft)} take={(current) => change(draftOf(current))} />
      </Form>
    </Modal>
  );
}

const draftOf = ({ release_notes, min_native_version, mandatory }: Build) => ({
  ...{ release_notes: release_notes ?? '', min_native_version: min_native_version ?? '', mandatory },
});

const changesOf = ({ release_notes, min_native_version, mandatory }: ReturnType<typeof draftOf>) => ({
  ...{ release_notes: release_notes || null, min_native_version: min_native_version || null, mandatory },
});
