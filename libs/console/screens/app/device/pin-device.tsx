import type { App, changeChannelPins, changePins, ReplyOf } from '@sluice/contracts';
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
import type { StoredDevice } from './stored-device';

type Changed = ReplyOf<typeof changePins>;
type Warning = (Changed | ReplyOf<typeof changeChannelPins>)['warnings'][number];

const DAY_MS = 86_400_000;

interface PinDeviceProps {
  readonly app: App;
  readonly device: string;
  readonly stored: Pick<StoredDevice, 'pins' | 'channel_pins' | 'groups'>;
}

/** Pins a device to a build or in a channel, and shows where it is pinned, and its groups. */
export function PinDevice({ app, device, stored: { pins, channel_pins: channelPins, groups } }: PinDeviceProps) {
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);
  const pinsPath = (build: string | number) => `/apps/${app.id}/builds/${build}/pins`;
  const channelPath = (channel: string) => `/apps/${app.id}/channels/${encodeURIComponent(channel)}/pins`;
  // A check of the device may then return another build.
  const after = {
    refresh: [
      ['device', app.id],
      ['builds', app.id],
    ],
    awaited: true,
  };
  const { draft, form, field } = useForm(
    { to: '', build: '', days: '90' },
    async ({ to, build, days }) => {
      const pin = { add: [device], expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
      if (to === '') {
        const changed = await api.patch<Changed>(pinsPath(encodeURIComponent(build.trim())), pin);
        setWarnings(changed.warnings);
        showToast(texts.pinnedTo(changed.build_id));
      } else {
        const changed = await api.patch<ReplyOf<typeof changeChannelPins>>(channelPath(to), pin);
        setWarnings(changed.warnings);
        showToast(texts.pinnedIn(to));
      }
    },
    after,
  );
  const remove = useSend(async (from: number | string) => {
    await api.patch(typeof from === 'number' ? pinsPath(from) : channelPath(from), { remove: [device] });
    setWarnings([]);
  }, after);
  const channels = app.channels.map((channel) => [channel, texts.theChannel(channel)] as const);
  return (
    <Section title={texts.pinTitle}>
      <p>{texts.pinHelp}</p>
      <div role="status">
        <ul className="plain-list" aria-label={texts.pinsOf}>
          {pins.length + channelPins.length === 0 && <li>{texts.noPins}</li>}
          {pins.map(({ build_id: build, expires_at }) => (
            <li key={build}>
              {texts.pinnedUntil(buildId(build))} <Time at={expires_at} ahead />{' '}
              <Button busy={remove.isPending} onClick={() => remove.mutate(build)}>
                {texts.unpin(build)}
              </Button>
            </li>
          ))}
          {channelPins.map(({ channel, expires_at }) => (
            <li key={channel}>
              {texts.pinnedInUntil(channel)} <Time at={expires_at} ahead />{' '}
              <Button busy={remove.isPending} onClick={() => remove.mutate(channel)}>
                {texts.unpinFrom(channel)}
              </Button>
            </li>
          ))}
        </ul>
        <p>{texts.groupsOf(groups)}</p>
      </div>
      <Form {...form} error={form.error ?? remove.error} verb={texts.pinVerb}>
        <SelectField {...field('to')} label={texts.pinTo} options={[['', texts.aBuild], ...channels]} />
        {draft.to === '' && (
          <TextField
            {...field('build')}
            label={texts.pinBuild}
            help={texts.pinBuildHelp}
            required
            inputMode="numeric"
            pattern="[0-9]+"
          />
        )}
        <SelectField {...field('days')} label={texts.pinFor} options={texts.pinDays} />
      </Form>
      {warnings.map(({ warning, message }) => (
        <p key={warning} className="note warn" role="status">
          {message}
        </p>
      ))}
    </Section>
  );
}
