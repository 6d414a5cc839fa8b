import type { App, getDevice, KeptReport, ReplyOf } from '@sluice/contracts';
import { useState } from 'react';
import { api, listAll } from '../../../api/client';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { say } from '../../../parts/toasts';

/** Saves what is kept of a device as a file, for the person who asks for it. */
export function ExportDevice({ app }: { readonly app: App }) {
  const [device, setDevice] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const path = `/apps/${app.id}/devices/${encodeURIComponent(device.trim())}`;
      const { state, reports: count } = await api.get<ReplyOf<typeof getDevice>>(path);
      if (state === null && count === 0) {
        say('Nothing is kept of this device.');
        return;
      }
      const reports = await listAll<KeptReport>(`${path}/reports`);
      saveAs('device.json', JSON.stringify({ state, reports }, null, 2));
      say(`Reports exported: ${reports.length}.`);
    } catch (fault) {
      setError(fault as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section title="Export a device">
      <p>
        Saves all that is kept under a device’s id as JSON: what it last reported, and its reports. Counts of past days
        name no device.
      </p>
      <Form submit={() => void save()} busy={busy} error={error} verb="Export this device">
        <TextField name="export" label="Device id to export" required value={device} change={setDevice} />
      </Form>
    </Section>
  );
}

function saveAs(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
