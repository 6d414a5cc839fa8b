import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { App, ConfiguredKeystore } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { upload, type Sent } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { Form, Group } from '../../../parts/form';
import { say } from '../../../parts/toasts';

/** `kept`: what another one would take the place of. */
export function KeystoreUpload({ app, kept }: { readonly app: App; readonly kept: ConfiguredKeystore | undefined }) {
  const [asking, setAsking] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<Sent>({ bytes: 0, of: 0 });
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: () => {
      const form = new FormData();
      const chosen = file.current?.files?.[0];
      if (chosen !== undefined) form.set('file', chosen);
      return upload(`/apps/${app.id}/keystore`, form, { progress: setSent });
    },
    onSuccess: () => {
      if (file.current !== null) file.current.value = '';
      void client.invalidateQueries({ queryKey: ['keystore', app.id] });
      say('The keystore backup is stored.');
    },
    onSettled: () => setSent({ bytes: 0, of: 0 }),
  });
  return (
    <>
      <Form
        submit={() => (kept === undefined ? send.mutate() : setAsking(true))}
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
          open={asking}
          close={() => setAsking(false)}
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
