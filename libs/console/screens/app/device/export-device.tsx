import type { App, getDevice, KeptReport, ReplyOf } from '@sluice/contracts';
import { api, listAll } from '../../../api/client';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { saveAs } from '../../../parts/save-as';
import { useForm } from '../../../parts/send';
import { say } from '../../../parts/toasts';

/** Saves what is kept of a device as a file, for the person who asks for it. */
export function ExportDevice({ app }: { readonly app: App }) {
  const { form, field } = useForm({ export: '' }, async ({ export: device }) => {
    const path = `/apps/${app.id}/devices/${encodeURIComponent(device.trim())}`;
    const { state, reports: count } = await api.get<ReplyOf<typeof getDevice>>(path);
    if (state === null && count === 0) {
      say('Nothing is kept of this device.');
      return;
    }
    const reports = await listAll<KeptReport>(`${path}/reports`);
    saveAs('device.json', new Blob([JSON.stringify({ state, reports }, null, 2)], { type: 'application/json' }));
    say(`Reports exported: ${reports.length}.`);
  });
  return (
    <Section title="Export a device">
      <p>
        Saves all that is kept under a device’s id as JSON: what it last reported, and its reports. Counts of past days
        name no device.
      </p>
      <Form {...form} verb="Export this device">
        <TextField {...field('export')} label="Device id to export" required />
      </Form>
    </Section>
  );
}
