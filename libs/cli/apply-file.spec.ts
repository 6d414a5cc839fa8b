import { parseApplyFile } from './apply-file';

const faultsOf = async (source: string): Promise<string[]> => {
  const error: unknown = await parseApplyFile(source, 'shop.yaml').then(
    () => new Error('It was accepted.'),
    (reason: unknown) => reason,
  );
  return (error as Error).message.split('\n');
};

it('accepts every member', async () => {
  const source = `
app: com.example.shop
settings:
  name: ' Shop '
  platform: both
  description: null
  signing_key_rotation: owner_only
  unique_signatures: true
  keep_builds: null
channels:
  production:
    version: 1.4.0
    promote_from: staging
    status: active
    rollout_percentage: 25
    rollout_enabled: true
    mandatory: false
    min_native_version: '2.0'
    release_notes: |
      Faster.
keys:
  - name: installs
    restrictions:
      origins: [https://app.example.com]
      android: [{ package_name: com.example.shop, sha256: [${'ab'.repeat(32)}] }]
      ios: [{ bundle_id: com.example.shop, team_id: A1B2C3D4E5 }]
  - name: tests
`;
  const { wanted } = await parseApplyFile(source, 'shop.yaml');
  expect(wanted).toMatchObject({
    settings: { name: 'Shop', keep_builds: null },
    channels: { production: { version: '1.4.0', release_notes: 'Faster.\n' } },
    keys: [{ name: 'installs' }, { name: 'tests' }],
  });
});

it.each([
  [
    'app: a.b\nsettings:\n  platform: web\n',
    ['shop.yaml:3:3: settings.platform: Invalid option: expected one of "ios"|"android"|"both"'],
  ],
  ['app: a.b\nsetings:\n  name: x\n', ['shop.yaml:2:1: setings: There is no such field.']],
  ['app: a.b\nchannels:\n  Beta:\n    version: 1.0.0\n', ['shop.yaml:3:3: channels.Beta: Invalid key in record']],
  [
    'app: a.b\nchannels:\n  staging:\n    version: 1.4\n',
    ['shop.yaml:4:5: channels.staging.version: Invalid input: expected string, received number'],
  ],
  [
    'app: a.b\nchannels:\n  staging:\n    mandatory: true\n',
    ['shop.yaml:3:3: channels.staging.version: Invalid input: expected string, received undefined'],
  ],
  [
    'app: a.b\nkeys:\n  - name: one\n  - name: two\n  - name: one\n',
    ['shop.yaml:5:5: keys.2.name: Another key is named one.'],
  ],
  [
    'app: a.b\nkeys:\n  - name: one\n    restrictions:\n      android:\n        - package_name: a.b\n          sha256: [ab]\n',
    [
      'shop.yaml:7:20: keys.0.restrictions.android.0.sha256.0: It must be a fingerprint of 32 bytes in hexadecimal digits, with or without colons.',
    ],
  ],
  ['app: a.b\napp: c.d\n', ['shop.yaml:2:1: Map keys must be unique']],
  ['app: [a\n', [expect.stringMatching(/^shop\.yaml:2:1: /)]],
  [
    'settings: { keep_builds: -1 }\nkeys: 3\n',
    [
      'shop.yaml:1:1: app: Invalid input: expected string, received undefined',
      'shop.yaml:1:13: settings.keep_builds: Too small: expected number to be >=0',
      'shop.yaml:2:1: keys: Invalid input: expected array, received number',
    ],
  ],
  ['', ['shop.yaml:1:1: Invalid input: expected object, received null']],
])('reports each mistake with its line: %j', async (source, faults) => {
  expect(await faultsOf(source)).toEqual(faults);
});

it('rejects aliases that expand without end', async () => {
  const lines = Array.from('abcdefghi').map(
    (name, n, names) =>
      `${name}: &${name} [${
        n === 0
          ? 'x'
          : Array(9)
              .fill(`*${names[n - 1]}`)
              .join(', ')
      }]`,
  );
  expect(await faultsOf(lines.join('\n'))).toEqual([expect.stringContaining('alias')]);
});
