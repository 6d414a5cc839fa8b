import type { App } from '@sluice/contracts';
import { useEffect, useState } from 'react';
import { Form, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import * as texts from '../../../texts/device';
import { DeviceGroups } from './device-groups';
import { FoundDevice } from './found-device';

/** The device in the fragment of the address, which browsers send to no server. */
const deviceOfAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('device') ?? '';

/** Finds a device by its ID, and lists the device groups. */
export function Devices({ app }: { readonly app: App }) {
  const [device, setDevice] = useState(deviceOfAddress);
  const [typed, setTyped] = useState(device);
  useEffect(() => {
    const follow = (): void => {
      // The link to the content has a fragment, too.
      if (location.hash === '#main') return;
      setDevice(deviceOfAddress());
      setTyped(deviceOfAddress());
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const find = (): void => {
    location.hash = new URLSearchParams({ device: typed.trim() }).toString();
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
