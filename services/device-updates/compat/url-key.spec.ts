import { channelNamed, maskedPath, urlKeyOf } from './url-key';

const IMPORTED = '4Qrz-Kx9_deploy-key';
const key = { keyId: 1, appId: 7, admits: undefined, channels: undefined, platform: undefined };
const index = {
  key: (text: string) => (text === IMPORTED || text === 'svc_app_1_2' ? key : undefined),
  channelByAlias: (appId: number, name: string) =>
    appId === 7 && name === 'Beta testers' ? { channel: 'pr-7.3', closed: false } : undefined,
};

it('reads an app key with and without a channel', () => {
  expect(urlKeyOf(index, 'svc_app_1_2')).toEqual({ key: 'svc_app_1_2', channel: undefined });
  expect(urlKeyOf(index, 'svc_app_1_2-pr-7')).toEqual({ key: 'svc_app_1_2', channel: 'pr-7' });
});

it('reads an imported key that contains hyphens', () => {
  expect(urlKeyOf(index, IMPORTED)).toEqual({ key: IMPORTED, channel: undefined });
  expect(urlKeyOf(index, '4Qrz-unknown-key')).toEqual({ key: '4Qrz', channel: 'unknown-key' });
});

it('names the channel of an alias, and leaves other names as they are', () => {
  const asked = urlKeyOf(index, 'svc_app_1_2');
  expect(channelNamed(index, asked, 'Beta testers')).toBe('pr-7');
  expect(channelNamed(index, asked, 'staging')).toBe('staging');
  expect(channelNamed(index, { ...asked, key: 'unknown' }, 'Beta testers')).toBe('Beta testers');
  expect(channelNamed(index, asked, undefined)).toBeUndefined();
});

it('hides the app key or the capability of a path, and leaves other paths as they are', () => {
  expect(maskedPath('/compat/capgo/svc_app_1_2-staging/updates')).toBe('/compat/capgo/***/updates');
  expect(maskedPath('/compat/capgo/svc_app_1_2')).toBe('/compat/capgo/***');
  expect(maskedPath('/compat/capawesome/v1/apps/svc_app_1_2/channels')).toBe('/compat/capawesome/v1/apps/***/channels');
  expect(maskedPath('/files/capability/hash')).toBe('/files/***/hash');
  expect(maskedPath('/api/v1/updates/check')).toBe('/api/v1/updates/check');
});
