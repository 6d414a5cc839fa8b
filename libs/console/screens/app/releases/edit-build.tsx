import { useMutation } from '@tanstack/react-query';
import type { Build } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { CheckField, Form, TextArea, TextField } from '../../../parts/form';
import { sayChanged } from './acts';
import type { DialogProps } from './dialog-props';
import { Meanwhile, useWatchedBuild } from './meanwhile';
import { useRefusal } from './refusals';

/** Of a build what can be changed afterwards. */
export function EditBuild({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const [notes, setNotes] = useState(build.release_notes ?? '');
  const [minNative, setMinNative] = useState(build.min_native_version ?? '');
  const [mandatory, setMandatory] = useState(build.mandatory);
  const wish = {
    release_notes: notes === '' ? null : notes,
    min_native_version: minNative === '' ? null : minNative,
    mandatory,
  };
  const save = useMutation({
    mutationFn: () => api.patch<Build>(`/apps/${app.id}/builds/${build.id}`, wish, watched.seen.revision),
    onSuccess: (changed) => {
      const { release_notes, min_native_version, mandatory: wasMandatory } = watched.seen;
      sayChanged(app, changed, {
        text: `${build.version} in ${build.channel} is changed.`,
        back: [{ of: '', set: { release_notes, min_native_version, mandatory: wasMandatory } }],
        refresh,
      });
      close();
    },
    onSettled: refresh,
  });
  const watched = useWatchedBuild(app, build, { open, close, busy: save.isPending });
  const error = useRefusal(watched.judge(save.error));
  return (
    <Modal title={`Edit ${build.version} in ${build.channel}`} keeps open={open} close={close}>
      <Form submit={() => save.mutate()} busy={save.isPending} error={error} verb="Save" cancel={close}>
        <TextArea
          name="release_notes"
          label="Release notes"
          help="Devices are given them with the update."
          value={notes}
          change={setNotes}
        />
        <TextField
          name="min_native_version"
          label="Minimum native version (optional)"
          placeholder="2.1"
          help="Devices whose native app is older aren’t given this build."
          value={minNative}
          change={setMinNative}
        />
        <CheckField
          name="mandatory"
          label="Mandatory"
          help="Devices have to take it before they go on."
          checked={mandatory}
          change={setMandatory}
        />
        <Meanwhile
          of={watched}
          mine={wish}
          take={(current) => {
            setNotes(current.release_notes ?? '');
            setMinNative(current.min_native_version ?? '');
            setMandatory(current.mandatory);
          }}
        />
      </Form>
    </Modal>
  );
}
