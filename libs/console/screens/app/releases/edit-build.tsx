import type { Build } from '@sluice/contracts';
import { useMemo } from 'react';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, TextArea } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { ConcurrentChanges } from '../../../parts/watched';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { atAudienceFields, AudienceFields } from './audience';
import { audienceDraft, toAudience } from './audience-draft';
import { useWatchedBuild } from './watched-build';
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
        const { release_notes, min_native_version, native_range, fingerprint, mandatory, audience } = watched.seen;
        showUndoToast(app, changed, {
          text: texts.saved(nameOf(build)),
          back: [
            { of: '', set: { release_notes, min_native_version, native_range, fingerprint, mandatory, audience } },
          ],
          refresh,
        });
        close();
      },
    },
  );
  const watched = useWatchedBuild(app, build, { open, close, busy: form.busy });
  const judged = watched.judge(form.error);
  const error = useErrorTexts(useMemo(() => atAudienceFields(judged), [judged]));
  return (
    <Modal title={texts.editTitle(nameOf(build))} keeps open={open} close={close}>
      <Form {...form} error={error} verb={texts.save} cancel={close}>
        <TextArea {...field('release_notes')} label={texts.releaseNotes} help={texts.releaseNotesHelp} />
        <NativeFields field={field} change={change} />
        <AudienceFields app={app} {...field('audience')} />
        <MandatoryField {...field('mandatory')} />
        <ConcurrentChanges of={watched} form={{ draft, draftOf, change, mine: changesOf(draft) }} />
      </Form>
    </Modal>
  );
}

const draftOf = ({ release_notes, min_native_version, native_range, fingerprint, mandatory, audience }: Build) => ({
  ...{ release_notes: release_notes ?? '', min_native_version: min_native_version ?? '', mandatory },
  ...{ native_range: native_range ?? '', fingerprint: fingerprint ?? '', audience: audienceDraft(audience) },
});

const changesOf = ({ mandatory, audience, ...texts }: ReturnType<typeof draftOf>) => ({
  ...{ mandatory, release_notes: texts.release_notes || null },
  ...{ min_native_version: texts.min_native_version.trim() || null, native_range: texts.native_range.trim() || null },
  ...{ fingerprint: texts.fingerprint.trim() || null, audience: toAudience(audience) },
});
