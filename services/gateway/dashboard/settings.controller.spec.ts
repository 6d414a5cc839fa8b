import { readSettings } from '@sluice/config';
import { gatewaySettings } from '../config/gateway.settings';
import type { DevicePlane } from '../http/device-plane';
import { SettingsController } from './settings.controller';

it('shows no secret to any owner', async () => {
  const settings = readSettings(
    {
      BUS_URL: 'nats://sluice:hidden@bus:4222',
      MASTER_KEY: 'hidden',
      MASTER_KEY_PREVIOUS: 'hidden',
      SEAL_KEYS: 'hidden',
      SEAL_KEYS_PREVIOUS: 'hidden',
      OWNER_KEY: 'hidden',
    },
    gatewaySettings,
  );
  const devices = { presented: () => Promise.resolve({ url: 'http://127.0.0.1:1' }) } as DevicePlane;
  const data = await new SettingsController(settings, () => 'http://127.0.0.1', devices).getSettings({
    owner: {
      id: 1,
      name: 'x',
      hash: 'hidden',
      suspended: false,
    },
  });
  expect(data.device_url).toBe('http://127.0.0.1:1');
  expect(data.installation?.bus).toBe('nats://***@bus:4222');
  expect(JSON.stringify(data)).not.toContain('hidden');
});
