import type { App, getDevice, KeptReport, ReplyOf } from '@sluice/contracts';
import { api, listAll } from '../../../api/client';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { saveAs } from '../../../parts/save-as';
import { useForm } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/device';

export interface DeviceProps {
  readonly app: App;
  /** Its ID. */
  readonly device: string;
  readonly change: (device: string) => void;
}

/** Saves the data of a device as a file, for a user who requests it. */
export function ExportDevice({ app, device, change }: DeviceProps) {
  const { form } = useForm({}, async () => {
    const path = `/apps/${app.id}/devices/${encodeURIComponent(device.trim())}`;
    const { reports: count, ...stored } = await api.get<ReplyOf<typeof getDevice>>(path);
    if (stored.state === null && count === 0 && stored.pins.length + stored.channel_pins.length === 0) {
      showToast(texts.noData);
      return;
    }
    const reports = await listAll<KeptReport>(`${path}/reports`);
    saveAs('device.json', new Blob([JSON.stringify({ ...stored, reports }, null, 2)], { type: 'application/json' }));
    showToast(texts.exported(reports.length));
  });
  return (
    <Section title={texts.exportTitle}>
      <p>{texts.exportHelp}</p>
      <Form {...form} verb={texts.exportData}>
        <TextField name="export" label={texts.exportId} required value={device} change={change} />
      </Form>
    </Section>
  );
}
