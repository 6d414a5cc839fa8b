import type { changeChannelPins, changePins, getDevice, ReplyOf } from '@sluice/contracts';
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

type Pins = Pick<ReplyOf<typeof getDevice>, 'pins' | 'channel_pins'>;
type Changed = ReplyOf<typeof changePins>;
type Warning = (Changed | ReplyOf<typeof changeChannelPins>)['warnings'][number];

const DAY_MS = 86_400_000;

/** Pins a device to a build or in a channel, and shows where it is pinned. */
export function PinDevice({ app, device, change }: DeviceProps) {
  const id = device.trim();
  const [shown, setShown] = useState<{ readonly device: string; readonly pins: Pins }>();
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);
  const pinsPath = (build: string | number) => `/apps/${app.id}/builds/${build}/pins`;
  const channelPath = (channel: string) => `/apps/${app.id}/channels/${encodeURIComponent(channel)}/pins`;
  const load = async (): Promise<void> => {
    const pins = await api.get<ReplyOf<typeof getDevice>>(`/apps/${app.id}/devices/${encodeURIComponent(id)}`);
    setShown({ device: id, pins });
  };
  const look = useSend(load);
  const { draft, form, field } = useForm({ to: '', build: '', days: '90' }, async ({ to, build, days }) => {
    const pin = { add: [id], expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    if (to === '') {
      const changed = await api.patch<Changed>(pinsPath(encodeURIComponent(build.trim())), pin);
      setWarnings(changed.warnings);
      showToast(texts.pinnedTo(changed.build_id));
    } else {
      const changed = await api.patch<ReplyOf<typeof changeChannelPins>>(channelPath(to), pin);
      setWarnings(changed.warnings);
      showToast(texts.pinnedIn(to));
    }
    await load();
  });
  const remove = useSend(async (from: number | string) => {
    await api.patch(typeof from === 'number' ? pinsPath(from) : channelPath(from), { remove: [id] });
    setWarnings([]);
    await load();
  });
  const pins = shown?.device === id ? shown.pins : undefined;
  const channels = app.channels.map((channel) => [channel, texts.theChannel(channel)] as const);
  return (
    <Section title={texts.pinTitle}>
      <p>{texts.pinHelp}</p>
      <Form {...form} error={form.error ?? look.error ?? remove.error} verb={texts.pinVerb}>
        <TextField name="add" label={texts.pinId} required value={device} change={change} />
        <SelectField {...field('to')} label={texts.pinTo} options={[['', texts.aBuild], ...channels]} />
        {draft.to === '' && (
          <TextField {...field('build')} label={texts.pinBuild} required inputMode="numeric" pattern="[0-9]+" />
        )}
        <SelectField {...field('days')} label={texts.pinFor} options={texts.pinDays} />
      </Form>
      {warnings.map(({ warning, message }) => (
        <p key={warning} className="note warn" role="status">
          {message}
        </p>
      ))}
      <div>
        <Button busy={look.isPending} disabled={id === ''} onClick={() => look.mutate()}>
          {texts.showPins}
        </Button>
      </div>
      {pins !== undefined && (
        <div role="status">
          <ul aria-label={texts.pinsOf}>
            {pins.pins.length + pins.channel_pins.length === 0 && <li>{texts.noPins}</li>}
            {pins.pins.map(({ build_id: build, expires_at }) => (
              <li key={build}>
                {texts.pinnedUntil(buildId(build))} <Time at={expires_at} />{' '}
                <Button busy={remove.isPending} onClick={() => remove.mutate(build)}>
                  {texts.unpin(build)}
                </Button>
              </li>
            ))}
            {pins.channel_pins.map(({ channel, expires_at }) => (
              <li key={channel}>
                {texts.pinnedInUntil(channel)} <Time at={expires_at} />{' '}
                <Button busy={remove.isPending} onClick={() => remove.mutate(channel)}>
                  {texts.unpinFrom(channel)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}
