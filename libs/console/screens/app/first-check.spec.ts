import { firstCheck } from './first-check';

it('asks the server that devices ask, not the one of the console', () => {
  expect(firstCheck('https://devices.example.com', { platform: 'ios' }, 'svc_app_k')).toBe(
    [
      "curl 'https://devices.example.com/api/v1/updates/check?channel=production' \\",
      "  -H 'X-API-Key: svc_app_k' \\",
      "  -H 'X-Device-ID: my-phone' -H 'X-Current-Version: 0.0.1' -H 'X-Platform: ios'",
    ].join('\n'),
  );
});

it('names no server of its own choice when the address is not known', () => {
  expect(firstCheck(null, { platform: 'android' }, 'k')).toMatch(/^curl 'https:\/\/SERVER-THAT-DEVICES-ASK\/api\/v1/);
});
