import { previewAddress } from '../client/preview-address';
import { UpdateError } from './errors';
import { readPreview } from './preview';

const SERVERS = ['https://updates.example.com/', 'https://staging.example.com/updates'];
const [SERVER, STAGING] = SERVERS as [string, string];

it('has the server, the key and the channel of its address', () => {
  for (const server of [SERVER, 'https://updates.example.com', STAGING]) {
    const preview = { server, channel: 'pr-9', apiKey: 'svc_app_aB3' };
    expect(readPreview(previewAddress({ open: 'shop://preview', ...preview }), SERVERS)).toEqual({
      ...preview,
      server: server === STAGING ? STAGING : SERVER,
    });
  }
});

it.each(['shop://preview', 'https://shop.example/#/cart?sluice=1', 'https://shop.example/#', ''])(
  'is not in the address "%s"',
  (address) => expect(readPreview(address, SERVERS)).toBeUndefined(),
);

it.each([
  ['no channel', { sluice_channel: '' }],
  ['a channel that can not be', { sluice_channel: '../x' }],
  ['no key', { sluice_key: '' }],
  ['a key that is none', { sluice_key: 'svc_pat_1' }],
  ['a key that would end a header', { sluice_key: 'svc_app_1\r\nX: y' }],
  ['another server', { sluice_server: 'https://attacker.example' }],
  ['a server that begins with one of the app', { sluice_server: 'https://updates.example.com.attacker.example' }],
  ['no server', { sluice_server: '' }],
])('is rejected with %s', (_, changed) => {
  const values = { sluice_server: SERVER, sluice_channel: 'pr-9', sluice_key: 'svc_app_aB3', ...changed };
  const address = `shop://preview#${new URLSearchParams(values).toString()}`;
  expect(() => readPreview(address, SERVERS)).toThrow(UpdateError);
  expect(() => readPreview(address, SERVERS)).toThrow('The address of the preview is invalid.');
});
