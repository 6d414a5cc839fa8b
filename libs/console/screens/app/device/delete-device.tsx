import { api } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { useDialog } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/device';
import type { DeviceProps } from './export-device';

/** Deletes the data of a device, for a user who requests it. */
export function DeleteDevice({ app, device, change }: DeviceProps) {
  const { show, dialog } = useDialog();
  const id = device.trim();
  return (
    <Section title={texts.deleteTitle}>
      <p>{texts.deleteHelp}</p>
      <Form submit={() => show(true)} busy={false} error={null} verb={texts.deleteData} danger>
        <TextField name="forget" label={texts.deleteId} required value={device} change={change} />
      </Form>
      <Confirm
        title={texts.confirmDelete}
        verb={texts.deletePermanently}
        {...dialog}
        confirm={async () => {
          const { deleted } = await api.delete<{ deleted: number }>(
            `/apps/${app.id}/devices/${encodeURIComponent(id)}`,
          );
          showToast(deleted === 0 ? texts.noData : texts.deleted(deleted));
          change('');
        }}
      >
        <p>{texts.deleteEffect(id)}</p>
      </Confirm>
    </Section>
  );
}
