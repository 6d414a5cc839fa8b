import type { App, KeptReport } from '@sluice/contracts';
import { api, listAll } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Section } from '../../../parts/page';
import { saveAs } from '../../../parts/save-as';
import { useDialog, useSend } from '../../../parts/send';
import { ErrorNote } from '../../../parts/states';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/device';
import { pathOf, type StoredDevice } from './stored-device';

interface DeviceDataProps {
  readonly app: App;
  readonly device: string;
  readonly stored: StoredDevice;
}

/** Exports or deletes what is stored about a device, for a user who requests it. */
export function DeviceData({ app, device, stored }: DeviceDataProps) {
  const path = pathOf({ app, device });
  const { reports: count, ...more } = stored;
  const isEmpty =
    more.state === null &&
    more.chosen_channel === null &&
    count + more.pins.length + more.channel_pins.length + more.groups.length === 0;
  const { show, dialog } = useDialog();
  const save = useSend(async () => {
    const reports = await listAll<KeptReport>(`${path}/reports`);
    saveAs('device.json', new Blob([JSON.stringify({ ...more, reports }, null, 2)], { type: 'application/json' }));
    showToast(texts.exported(reports.length));
  });
  return (
    <Section title={texts.dataTitle}>
      {isEmpty ? (
        <p>{texts.noData}</p>
      ) : (
        <>
          <p>{texts.exportHelp}</p>
          <div className="buttons">
            <Button busy={save.isPending} onClick={() => save.mutate()}>
              {texts.exportData}
            </Button>
          </div>
          {save.error !== null && <ErrorNote error={save.error} />}
          <p>{texts.deleteHelp}</p>
          <div className="buttons">
            <Button kind="danger" onClick={() => show(true)}>
              {texts.deleteData}
            </Button>
          </div>
        </>
      )}
      <Confirm
        title={texts.confirmDelete}
        verb={texts.deletePermanently}
        {...dialog}
        confirm={async () => {
          const { deleted } = await api.delete<{ deleted: number }>(path);
          showToast(texts.deleted(deleted));
        }}
        refresh={[
          ['device', app.id],
          ['groups', app.id],
        ]}
      >
        <p>{texts.deleteEffect(device)}</p>
      </Confirm>
    </Section>
  );
}
