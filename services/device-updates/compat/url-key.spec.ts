import { maskedPath, urlKeyOf } from './url-key';

it('reads an app key with and without a channel', () => {
  expect(urlKeyOf('svc_app_1_2')).toEqual({ key: 'svc_app_1_2', channel: undefined });
  expect(urlKeyOf('svc_app_1_2-pr-7')).toEqual({ key: 'svc_app_1_2', channel: 'pr-7' });
});

it('hides the app key or the capability of a path, and leaves other paths as they are', () => {
  expect(maskedPath('/compat/capgo/svc_app_1_2-staging/updates')).toBe('/compat/capgo/***/updates');
  expect(maskedPath('/compat/capgo/svc_app_1_2')).toBe('/compat/capgo/***');
  expect(maskedPath('/files/capability/hash')).toBe('/files/***/hash');
  expect(maskedPath('/api/v1/updates/check')).toBe('/api/v1/updates/check');
});
