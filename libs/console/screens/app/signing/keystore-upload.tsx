import type { App, ConfiguredKeystore } from '@sluice/contracts';
import { useState } from 'react';
import { upload, type Sent } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { Form } from '../../../parts/form';
import { useDialog, useSend } from '../../../parts/send';
import { FileField } from '../releases/file-field';
import * as texts from '../../../texts/signing';

const NOTHING: Sent = { bytes: 0, of: 0 };

/** `kept`: the backup that an upload replaces. */
export function KeystoreUpload({ app, kept }: { readonly app: App; readonly kept: ConfiguredKeystore | undefined }) {
  const { show, dialog } = useDialog();
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState(NOTHING);
  const send = useSend(
    () => {
      const form = new FormData();
      if (file !== undefined) form.set('file', file);
      setSent(NOTHING);
      return upload(`/apps/${app.id}/keystore`, form, { progress: setSent });
    },
    {
      refresh: [['keystore', app.id]],
      toast: texts.stored,
      done: () => setFile(undefined),
    },
  );
  return (
    <>
      <Form
        submit={() => (kept === undefined ? send.mutate() : show(true))}
        busy={send.isPending}
        error={send.error}
        verb={kept === undefined ? texts.store : texts.replace}
        danger={kept !== undefined}
      >
        <FileField label={kept === undefined ? texts.zip : texts.otherZip} file={file} change={setFile} />
        {send.isPending && <progress aria-label={texts.progress} value={sent.bytes} max={Math.max(1, sent.of)} />}
      </Form>
      {kept !== undefined && (
        <Confirm
          title={texts.replaceTitle}
          verb={texts.replacePermanently}
          {...dialog}
          confirm={() => {
            send.mutate();
            return Promise.resolve();
          }}
        >
          <p>{texts.replaceEffect(kept.original_name)}</p>
        </Confirm>
      )}
    </>
  );
}
