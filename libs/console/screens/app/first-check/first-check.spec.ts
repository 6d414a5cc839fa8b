import { channelToCheck, firstCheck } from './first-check';

it('checks the server for devices, which need not be that of the console', () => {
  const check = { key: 'svc_app_k', channel: 'staging' } as const;
  expect(firstCheck('https://devices.example.com', { platform: 'ios' }, check)).toBe(
    [
      "curl 'https://devices.example.com/api/v1/updates/check?channel=staging' \\",
      "  -H 'X-API-Key: svc_app_k' \\",
      "  -H 'X-Device-ID: my-phone' -H 'X-Current-Version: 0.0.1' -H 'X-Platform: ios'",
    ].join('\n'),
  );
});

it('shows a placeholder when the address for devices is unknown', () => {
  expect(firstCheck(null, { platform: 'android' }, { key: 'k', channel: 'production' })).toMatch(
    /^curl 'https:\/\/ADDRESS-FOR-DEVICES\/api\/v1/,
  );
});

it('checks the channel that has a build, preferably production', () => {
  const staging = { channel: 'staging', status: 'active' } as const;
  expect(channelToCheck([])).toBe('production');
  expect(channelToCheck([{ channel: 'development', status: 'failed' }, staging])).toBe('staging');
  expect(channelToCheck([staging, { channel: 'production', status: 'active' }])).toBe('production');
  expect(channelToCheck([{ channel: 'development', status: 'processing' }])).toBe('development');
});
