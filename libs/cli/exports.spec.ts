import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { readCapgo, readCodePush, readHotUpdater } from './exports';

const OPTIONS = { versions: '1.0', platform: undefined };

/** A folder with these files; what is no text is written as JSON. */
async function exportOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

describe('an export of CodePush', () => {
  const release = (label: string, more: object = {}) => ({
    ...{ label, packageHash: `hash-${label}`, appVersion: '*', blobUrl: `https://old.example/${label}` },
    ...{ isDisabled: false, isMandatory: false, rollout: null, description: '' },
    ...more,
  });

  it('has releases with the number of their label, in its order, and keys', async () => {
    const folder = await exportOf({
      'deployments.json': [{ name: 'Production', key: 'aBc_0123456789' }, { name: 'Staging' }],
      'Production.json': [
        release('v10', { appVersion: '>=2.0.0 <3.0.0', isMandatory: true, rollout: 25, description: 'Faster' }),
        release('v9'),
      ],
      'Staging.json': [],
      'bundles/hash-v9.zip': 'zip',
    });
    const { releases, keys, aliases } = await readCodePush(folder, { ...OPTIONS, platform: 'ios' });
    expect(releases).toEqual([
      {
        ...{ source: 'codepush Production ios v9', channel: 'production', version: '1.0.9', platform: 'ios' },
        file: join(folder, 'bundles/hash-v9.zip'),
      },
      {
        ...{ source: 'codepush Production ios v10', channel: 'production', version: '1.0.10', platform: 'ios' },
        ...{ file: undefined, url: 'https://old.example/v10', nativeRange: '>=2.0.0 <3.0.0' },
        ...{ mandatory: true, rolloutPercentage: 25, notes: 'Faster' },
      },
    ]);
    expect(keys).toEqual([{ name: 'codepush Production ios', key: 'aBc_0123456789', channel: 'production' }]);
    expect(aliases).toEqual({});
  });

  it.each([
    [{ isDisabled: true }, 'It is disabled.'],
    [{ blobUrl: undefined }, 'There is no file hash-v1.zip.'],
    [{ appVersion: 'newest' }, '"newest" is no semver range.'],
  ])('leaves out a release with %j', async (more, obstacle) => {
    const folder = await exportOf({ 'deployments.json': [{ name: 'staging' }], 'staging.json': [release('v1', more)] });
    const { releases } = await readCodePush(folder, OPTIONS);
    expect(releases.map((each) => each.obstacle)).toEqual([obstacle]);
  });

  it.each([
    [{}, 'deployments.json'],
    [{ 'deployments.json': '{' }, 'deployments.json is not what was expected'],
    [{ 'deployments.json': [{ name: 'production' }] }, 'production.json'],
    [{ 'deployments.json': [{ name: '../secret' }] }, 'A name must not contain'],
    [{ 'deployments.json': [{ name: 'ß' }] }, 'No channel name can be made of "ß"'],
    [
      { 'deployments.json': [{ name: 'My App' }, { name: 'My-App' }], 'My App.json': [], 'My-App.json': [] },
      '"My App" and "My-App" would both become the channel my-app.',
    ],
    [
      { 'deployments.json': [{ name: 'production' }], 'production.json': [release('12')] },
      'A label must look like v12.',
    ],
  ])('is rejected with a reason: %j', async (files, reason) => {
    await expect(readCodePush(await exportOf(files), OPTIONS)).rejects.toThrow(reason);
  });
});

describe('an export of Capgo', () => {
  const capgo = {
    session_key: `${'A'.repeat(22)}==:${'A'.repeat(342)}==`,
    ...{ checksum: '0'.repeat(512), key_id: 'MIIBCgKCAQEAn0LYmtl0' },
  };

  it('has what its channels serve, with its rollout', async () => {
    const folder = await exportOf({
      'channels.json': [
        {
          ...{ name: 'Beta Testers', version: { name: '1.2.0' }, allow_device_self_set: true },
          ...{ rolloutEnabled: true, rolloutPercentageBps: 1_250, rollout_version_info: { name: '1.3.0' } },
        },
        { name: 'production', version: { name: 'builtin' } },
        { name: 'old', version: { name: '0.9.0' } },
        { name: 'encrypted', version: { name: '1.4.0' } },
        { name: 'none', rolloutEnabled: true, rolloutPercentageBps: 0, rollout_version_info: { name: '1.3.0' } },
      ],
      'bundles.json': [
        { name: '1.2.0', comment: 'Stable', external_url: 'https://files.example/1.2.0.zip' },
        { name: '1.3.0', comment: null },
        { name: '0.9.0', session_key: 'a:b' },
        { name: '1.4.0', ...capgo },
      ],
      '1.3.0.zip': 'zip',
      '1.4.0.zip': 'ciphertext',
    });
    const { releases, aliases, selfAssigned } = await readCapgo(folder, OPTIONS);
    expect(releases).toEqual([
      {
        ...{ source: 'capgo Beta Testers 1.2.0', channel: 'beta-testers', version: '1.2.0', notes: 'Stable' },
        ...{ file: undefined, url: 'https://files.example/1.2.0.zip' },
      },
      {
        ...{ source: 'capgo Beta Testers 1.3.0', channel: 'beta-testers', version: '1.3.0' },
        ...{ file: join(folder, '1.3.0.zip'), rolloutPercentage: 13 },
      },
      expect.objectContaining({ version: '0.9.0', obstacle: expect.stringContaining('encrypted') as string }),
      {
        ...{ source: 'capgo encrypted 1.4.0', channel: 'encrypted', version: '1.4.0', delivery: { capgo } },
        file: join(folder, '1.4.0.zip'),
      },
      expect.objectContaining({ version: '1.3.0', obstacle: 'It is rolled out to no device.' }),
    ]);
    expect(aliases).toEqual({ 'Beta Testers': 'beta-testers' });
    expect([...selfAssigned]).toEqual(['beta-testers']);
  });
});

describe('an export of hot-updater', () => {
  const bundle = (id: string, more: object = {}) => ({
    ...{ id, channel: 'production', platform: 'ios', enabled: true, targetAppVersion: '1.x' },
    ...more,
  });

  it('has bundles with a number of their own for each channel and platform', async () => {
    const folder = await exportOf({
      'production/ios/1.x/update.json': [bundle('0c'), bundle('0a', { shouldForceUpdate: true, message: 'Fix' })],
      'production/android/f1/update.json': [
        bundle('0b', { platform: 'android', targetAppVersion: null, fingerprintHash: 'f1', rolloutCohortCount: 5 }),
      ],
      'bundles/0a/bundle.zip': 'zip',
      '0b/bundle.zip': 'zip',
    });
    const { releases } = await readHotUpdater(folder, OPTIONS);
    expect(releases).toEqual([
      {
        ...{ source: 'hot-updater 0a', channel: 'production', version: '1.0.1', platform: 'ios', nativeRange: '1.x' },
        ...{ file: join(folder, 'bundles/0a/bundle.zip'), mandatory: true, notes: 'Fix' },
      },
      {
        ...{ source: 'hot-updater 0b', channel: 'production', version: '1.0.1', platform: 'android' },
        ...{ file: join(folder, '0b/bundle.zip'), fingerprint: 'f1', rolloutPercentage: 1 },
      },
      expect.objectContaining({ version: '1.0.2', obstacle: expect.stringContaining('0c/bundle.zip') as string }),
    ]);
  });

  it('is rejected if it has no bundle', async () => {
    await expect(readHotUpdater(await exportOf({}), OPTIONS)).rejects.toThrow('no update.json with a bundle');
  });
});
