import type { App, ConfiguredKeystore } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { upload, type Sent } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { Form, Group } from '../../../parts/form';
import { useDialog, useSend } from '../../../parts/send';
import * as texts from '../../../texts/signing';

const NOTHING: Sent = { bytes: 0, of: 0 };

/** `kept`: the backup that an upload replaces. */
export function KeystoreUpload({ app, kept }: { readonly app: App; readonly kept: ConfiguredKeystore | undefined }) {
  const { show, dialog } = useDialog();
  const file = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState(NOTHING);
  const send = useSend(
    () => {
      const form = new FormData();
      const chosen = file.current?.files?.[0];
      if (chosen !== undefined) form.set('file', chosen);
      setSent(NOTHING);
      return upload(`/apps/${app.id}/keystore`, form, { progress: setSent });
    },
    {
      refresh: [['keystore', app.id]],
      toast: texts.stored,
      done: () => {
        if (file.current !== null) file.current.value = '';
      },
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
        <Group name="file" label={kept === undefined ? texts.zip : texts.otherZip}>
          <input ref={file} type="file" accept=".zip,application/zip" aria-label={texts.zip} required />
        </Group>
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
