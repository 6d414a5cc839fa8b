import { useQueryClient } from '@tanstack/react-query';
import type { App } from '@sluice/contracts';
import { useState } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import * as texts from '../../../texts/device';
import { DeviceGroups } from './device-groups';
import { FoundDevice } from './found-device';

/** The device in the fragment of the address, which browsers do not send with the request for the page. */
const deviceOfAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('device') ?? '';

/** Finds a device by its ID, and lists the device groups. */
export function Devices({ app }: { readonly app: App }) {
  const client = useQueryClient();
  const device = useLocationProperty(deviceOfAddress);
  const [shown, setShown] = useState(device);
  const [typed, setTyped] = useState(device);
  if (shown !== device) {
    setShown(device);
    setTyped(device);
  }
  const find = (): void => {
    const wanted = typed.trim();
    if (wanted !== device) location.hash = new URLSearchParams({ device: wanted }).toString();
    else for (const topic of ['device', 'explain']) void client.invalidateQueries({ queryKey: [topic, app.id] });
  };
  return (
    <>
      <Section title={texts.find}>
        <p className="dim">{texts.findHelp}</p>
        <div className="find-device">
          <Form submit={find} busy={false} error={null} verb={texts.findVerb}>
            <TextField
              name="device"
              label={texts.deviceId}
              help={texts.deviceIdHelp}
              required
              value={typed}
              change={setTyped}
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="none"
            />
          </Form>
        </div>
      </Section>
      {device !== '' && <FoundDevice key={device} app={app} device={device} />}
      <DeviceGroups app={app} />
    </>
  );
}
