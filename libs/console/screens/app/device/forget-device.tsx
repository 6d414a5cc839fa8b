import type { App } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { useDialog } from '../../../parts/send';
import { say } from '../../../parts/toasts';

/** Deletes what is kept of a device, for the person who asks for it. */
export function ForgetDevice({ app }: { readonly app: App }) {
  const [device, setDevice] = useState('');
  const { show, dialog } = useDialog();
  const id = device.trim();
  return (
    <Section title="Forget a device">
      <p>
        When a person asks for it, delete all that is kept under their device’s id. Counts of past days stay: they name
        no device.
      </p>
      <Form submit={() => show(true)} busy={false} error={null} verb="Forget this device" danger>
        <TextField name="forget" label="Device id to forget" required value={device} change={setDevice} />
      </Form>
      <Confirm
        title="Forget this device?"
        verb="Delete its reports"
        {...dialog}
        confirm={async () => {
          const { deleted } = await api.delete<{ deleted: number }>(
            `/apps/${app.id}/devices/${encodeURIComponent(id)}`,
          );
          say(deleted === 0 ? 'Nothing was kept of this device.' : `Reports deleted: ${deleted}.`);
          setDevice('');
        }}
      >
        <p>
          All reports of <code>{id}</code>, and its last state, are deleted permanently.
        </p>
      </Confirm>
    </Section>
  );
}
