import type { Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, TextArea } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { ConcurrentChanges, useWatchedBuild } from './concurrent-changes';
import type { DialogProps } from './dialog-props';
import { MandatoryField } from './mandatory-field';
import { NativeFields } from './native-fields';
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
        const { release_notes, min_native_version, native_range, fingerprint, mandatory } = watched.seen;
        showUndoToast(app, changed, {
          text: texts.saved(nameOf(build)),
          back: [{ of: '', set: { release_notes, min_native_version, native_range, fingerprint, mandatory } }],
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
        <NativeFields field={field} change={change} />
        <MandatoryField {...field('mandatory')} />
        <ConcurrentChanges of={watched} mine={changesOf(draft)} take={(current) => change(draftOf(current))} />
      </Form>
    </Modal>
  );
}

const draftOf = ({ release_notes, min_native_version, native_range, fingerprint, mandatory }: Build) => ({
  ...{ release_notes: release_notes ?? '', min_native_version: min_native_version ?? '', mandatory },
  ...{ native_range: native_range ?? '', fingerprint: fingerprint ?? '' },
});

const changesOf = ({ mandatory, ...texts }: ReturnType<typeof draftOf>) => ({
  ...{ mandatory, release_notes: texts.release_notes || null },
  ...{ min_native_version: texts.min_native_version.trim() || null, native_range: texts.native_range.trim() || null },
  fingerprint: texts.fingerprint.trim() || null,
});
