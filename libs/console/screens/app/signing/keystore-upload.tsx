import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { App } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { upload } from '../../../api/client';
import { Form, Group } from '../../../parts/form';
import { say } from '../../../parts/toasts';

export function KeystoreUpload({ app, replaces }: { readonly app: App; readonly replaces: boolean }) {
  const file = useRef<HTMLInputElement>(null);
  const [part, setPart] = useState(0);
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: () => {
      const form = new FormData();
      const chosen = file.current?.files?.[0];
      if (chosen !== undefined) form.set('file', chosen);
      return upload(`/apps/${app.id}/keystore`, form, { progress: setPart });
    },
    onSuccess: () => {
      if (file.current !== null) file.current.value = '';
      void client.invalidateQueries({ queryKey: ['keystore', app.id] });
      say('The keystore backup is stored.');
    },
    onSettled: () => setPart(0),
  });
  return (
    <Form
      submit={() => send.mutate()}
      busy={send.isPending}
      error={send.error}
      verb={replaces ? 'Replace the backup' : 'Store the backup'}
    >
      <Group name="file" label={replaces ? 'Another backup' : 'Zip with the keystore'}>
        <input ref={file} type="file" accept=".zip,application/zip" aria-label="Zip with the keystore" required />
      </Group>
      {send.isPending && <progress aria-label="Sent" value={part} />}
    </Form>
  );
}
