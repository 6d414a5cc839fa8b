import { readSettings } from '@sluice/config';
import { SettingsController } from './settings.controller';

it('shows no secret, to nobody', () => {
  const settings = readSettings({
    BUS_URL: 'nats://sluice:hidden@bus:4222',
    MASTER_KEY: 'hidden',
    MASTER_KEY_PREVIOUS: 'hidden',
    OWNER_KEY: 'hidden',
  });
  const { data } = new SettingsController(settings, () => 'http://127.0.0.1').get({
    id: 1,
    name: 'x',
    hash: 'hidden',
    suspended: false,
  });
  expect(data.installation?.bus).toBe('nats://***@bus:4222');
  expect(JSON.stringify(data)).not.toContain('hidden');
});
