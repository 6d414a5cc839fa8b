import { deriveSealKeys, purposeOf, sealKeysFrom } from './seal-keys';

const masterKey = Buffer.alloc(32, 1);
const OPTIONS = { setting: 'SEAL_KEYS', service: 'registry', purposes: ['shown'] } as const;
const value = deriveSealKeys(masterKey, ['shown']);

it.each([
  ['secrets', 'apiKey-01JZ0000000000000000000000', 'apiKey'],
  ['secrets', 'shown-01JZ0000000000000000000000', 'shown'],
  ['secrets', 'data-key:download-url', 'data-key:download-url'],
  ['secrets', 'data-key:download-url:12', 'data-key:download-url'],
  ['secrets', 'master-key-check', 'master-key-check'],
  ['oauthTokens', 'shown-01JZ0000000000000000000000', 'oauthTokens'],
])('finds what a secret of %s with the id %s is for', (collection, id, purpose) => {
  expect(purposeOf(collection, id)).toBe(purpose);
});

it('derives the same keys in every release', () => {
  expect(value.split(',')).toEqual([
    'master-key-check=646302f0a61065cf22e6bfc4d6b29e97ef9311288ddf8de6cb984a95cf5d8e8a',
    'shown=297dcd1f5351a973ef68c2f25536cd7698a678f8ab33d28d19d9f92b20fcb573',
    'checksum=6d26002f25a7d57c',
  ]);
});

it('reads what it derived, with a line break behind it', () => {
  const keys = sealKeysFrom(`${value}\n`, OPTIONS);
  expect([...keys.keys()]).toEqual(['master-key-check', 'shown']);
  expect(keys.get('shown')).toHaveLength(32);
});

it.each([
  ['empty', ''],
  ['a master key', masterKey.toString('hex')],
  ['cut off', value.slice(0, -1)],
  ['changed in one digit', value.replace(/(shown=.)./, (_, start: string) => `${start}z`)],
  ['changed in one key', value.replace(/shown=[0-9a-f]{2}/, 'shown=aa')],
  ['without a key that it had', value.replace(/,shown=\w+/, '')],
])('rejects a value that is %s without repeating it', (_, text) => {
  const reading = () => sealKeysFrom(text, { ...OPTIONS, setting: 'SEAL_KEYS_PREVIOUS' });
  expect(reading).toThrow(
    'The setting SEAL_KEYS_PREVIOUS is incomplete or was changed. Derive it again: sluice secrets derive --service registry',
  );
});

it('names the purposes that a value has no keys for', () => {
  const reading = () =>
    sealKeysFrom(value, { ...OPTIONS, service: 'gateway', purposes: ['data-key:sessions', 'shown'] });
  expect(reading).toThrow(
    'The setting SEAL_KEYS has no key for data-key:sessions. Derive it again: sluice secrets derive --service gateway',
  );
});
