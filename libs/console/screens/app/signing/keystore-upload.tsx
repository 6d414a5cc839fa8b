import type { App, ConfiguredKeystore } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { upload, type Sent } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { Form, Group } from '../../../parts/form';
import { useDialog, useSend } from '../../../parts/send';

const NOTHING: Sent = { bytes: 0, of: 0 };

/** `kept`: what another one would take the place of. */
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
      said: 'The keystore backup is stored.',
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
        verb={kept === undefined ? 'Store the backup' : 'Replace the backup'}
        danger={kept !== undefined}
      >
        <Group name="file" label={kept === undefined ? 'Zip with the keystore' : 'Another backup'}>
          <input ref={file} type="file" accept=".zip,application/zip" aria-label="Zip with the keystore" required />
        </Group>
        {send.isPending && <progress aria-label="Sent" value={sent.bytes} max={Math.max(1, sent.of)} />}
      </Form>
      {kept !== undefined && (
        <Confirm
          title="Replace the keystore backup"
          verb="Replace it"
          {...dialog}
          confirm={() => {
            send.mutate();
            return Promise.resolve();
          }}
        >
          <p>
            <code>{kept.original_name}</code> is removed from the server and can’t be brought back. Make sure that the
            other file holds the keystore with which the app in the store is signed.
          </p>
        </Confirm>
      )}
    </>
  );
}
