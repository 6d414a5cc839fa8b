import { channelToCheck, firstCheck } from './first-check';

it('asks the server that devices ask, not the one of the console', () => {
  const asked = { key: 'svc_app_k', channel: 'staging' } as const;
  expect(firstCheck('https://devices.example.com', { platform: 'ios' }, asked)).toBe(
    [
      "curl 'https://devices.example.com/api/v1/updates/check?channel=staging' \\",
      "  -H 'X-API-Key: svc_app_k' \\",
      "  -H 'X-Device-ID: my-phone' -H 'X-Current-Version: 0.0.1' -H 'X-Platform: ios'",
    ].join('\n'),
  );
});

it('names no server of its own choice when the address is not known', () => {
  expect(firstCheck(null, { platform: 'android' }, { key: 'k', channel: 'production' })).toMatch(
    /^curl 'https:\/\/SERVER-THAT-DEVICES-ASK\/api\/v1/,
  );
});

it('asks the channel that has a build, production before others', () => {
  const staging = { channel: 'staging', status: 'active' } as const;
  expect(channelToCheck([])).toBe('production');
  expect(channelToCheck([{ channel: 'development', status: 'failed' }, staging])).toBe('staging');
  expect(channelToCheck([staging, { channel: 'production', status: 'active' }])).toBe('production');
  expect(channelToCheck([{ channel: 'development', status: 'processing' }])).toBe('development');
});
