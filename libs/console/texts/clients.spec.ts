import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS, type ClientName } from './clients';

const ROOT = join(__dirname, '..', '..', '..');
const guideOf = (name: ClientName): string =>
  readFileSync(join(ROOT, 'docs', 'guides', `${CLIENTS[name].guide}.md`), 'utf8');
const values = {
  ...{ server: 'https://updates.example.com', key: 'APP_KEY', channel: 'production', id: 7 },
  ...({ bundleId: 'com.example.shop', platform: 'android' } as const),
};
const compared = ['capgo', 'codepushIos', 'codepushAndroid', 'expo', 'hotUpdater', 'nativeUpdate'] as const;

it.each(compared)('has the configuration of the guide for %s', (name) => {
  expect(guideOf(name)).toContain(`\n${CLIENTS[name].configuration(values)}\n\`\`\``);
});

it('sets the variables that the code in the guide of @sluice/device reads', () => {
  const names = [...CLIENTS.device.configuration(values).matchAll(/export (\w+)=/g)].map(([, name]) => name);
  expect(guideOf('device')).toContain(`const { ${names.join(', ')} } = process.env;`);
});

it('has the commands of the guide for a client of your own', () => {
  const onLaptop = { ...values, server: 'http://127.0.0.1:8080', key: '$APP_KEY' };
  expect(guideOf('curl')).toContain(`\n\`\`\`sh\n${CLIENTS.curl.configuration(onLaptop)}\n\`\`\``);
});

it('names another channel than production in the key, where the guide says so', () => {
  const staging = { ...values, channel: 'staging' };
  for (const name of ['capgo', 'codepushIos', 'codepushAndroid'] as const) {
    expect(CLIENTS[name].configuration(staging)).toContain('APP_KEY-staging');
    expect(guideOf(name)).toContain('APP_KEY-staging');
  }
  expect(CLIENTS.hotUpdater.configuration(staging)).toContain('hot_updater_channel, to staging.');
  expect(guideOf('hotUpdater')).toContain('`hot_updater_channel`');
  expect(CLIENTS.nativeUpdate.configuration(staging)).toContain("channel: 'staging'");
  expect(CLIENTS.curl.configuration(staging)).toContain('?channel=staging');
  expect(CLIENTS.device.configuration(staging)).toContain('export CHANNEL=staging');
  expect(CLIENTS.expo.configuration(staging)).toContain('"expo-channel-name": "staging"');
});
