import type { changePins, getDevice, ReplyOf } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Form, SelectField, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { useForm, useSend } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/device';
import { buildId } from '../../../texts/shared';
import type { DeviceProps } from './export-device';

type Pins = ReplyOf<typeof getDevice>['pins'];
type Changed = ReplyOf<typeof changePins>;

const DAY_MS = 86_400_000;

/** Pins a device to a build, and shows the builds that it is pinned to. */
export function PinDevice({ app, device, change }: DeviceProps) {
  const id = device.trim();
  const [shown, setShown] = useState<{ readonly device: string; readonly pins: Pins }>();
  const [warnings, setWarnings] = useState<Changed['warnings']>([]);
  const pinsPath = (build: string | number) => `/apps/${app.id}/builds/${build}/pins`;
  const load = async (): Promise<void> => {
    const { pins } = await api.get<ReplyOf<typeof getDevice>>(`/apps/${app.id}/devices/${encodeURIComponent(id)}`);
    setShown({ device: id, pins });
  };
  const look = useSend(load);
  const { form, field } = useForm({ build: '', days: '90' }, async ({ build, days }) => {
    const expires_at = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const changed = await api.patch<Changed>(pinsPath(encodeURIComponent(build.trim())), { add: [id], expires_at });
    setWarnings(changed.warnings);
    showToast(texts.pinnedTo(changed.build_id));
    await load();
  });
  const remove = useSend(async (build: number) => {
    await api.patch(pinsPath(build), { remove: [id] });
    setWarnings([]);
    await load();
  });
  const pins = shown?.device === id ? shown.pins : undefined;
  return (
    <Section title={texts.pinTitle}>
      <p>{texts.pinHelp}</p>
      <Form {...form} error={form.error ?? look.error ?? remove.error} verb={texts.pinVerb}>
        <TextField name="add" label={texts.pinId} required value={device} change={change} />
        <TextField {...field('build')} label={texts.pinBuild} required inputMode="numeric" pattern="[0-9]+" />
        <SelectField {...field('days')} label={texts.pinFor} options={texts.pinDays} />
      </Form>
      {warnings.map(({ warning, message }) => (
        <p key={warning} className="note warn" role="status">
          {message}
        </p>
      ))}
      <Button busy={look.isPending} disabled={id === ''} onClick={() => look.mutate()}>
        {texts.showPins}
      </Button>
      {pins !== undefined && (
        <div role="status">
          <ul aria-label={texts.pinsOf}>
            {pins.length === 0 && <li>{texts.noPins}</li>}
            {pins.map(({ build_id: build, expires_at }) => (
              <li key={build}>
                {texts.pinnedUntil(buildId(build))} <Time at={expires_at} />{' '}
                <Button busy={remove.isPending} onClick={() => remove.mutate(build)}>
                  {texts.unpin(build)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}
