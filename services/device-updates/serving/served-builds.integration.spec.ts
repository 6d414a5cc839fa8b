import { parseVersion } from '@sluice/kernel';
import fc from 'fast-check';
import { buildFacts } from '../../../test/support/device-plane';
import { choicesFor, type DeviceKind } from './domain/select-build';
import type { ServingBuild } from './serving.projection';
import { ServedBuilds } from './served-builds';

const VERSIONS = ['0.9.0', '1.0.0', '1.1.0', '2.0.0', '2.1.0', '3.0.0'];
const parsed = (text: string | undefined) => (text === undefined ? undefined : parseVersion(text));
const asked: DeviceKind[] = VERSIONS.flatMap((current) =>
  [undefined, '4', '5'].map((native) => ({
    platform: 'web',
    currentVersion: parseVersion(current)!,
    nativeVersion: parsed(native),
  })),
);
const asking: fc.Arbitrary<DeviceKind> = fc.record({
  platform: fc.constantFrom('ios', 'android', 'web', 'all'),
  currentVersion: fc.constantFrom(...VERSIONS, '1.0.5').map((text) => parseVersion(text)!),
  nativeVersion: fc.constantFrom(undefined, '4', '4.4.9', '4.5.0', '4.5.1', '5', '6').map(parsed),
  fingerprint: fc.constantFrom(undefined, 'f1', 'f2', 'unknown'),
  embeddedVersion: fc.constantFrom(undefined, '0.1.0', ...VERSIONS).map(parsed),
});

const unsigned = { manifestRevision: 0, signedByServer: false };

const change = fc.record({
  buildId: fc.integer({ min: 1, max: VERSIONS.length - 1 }),
  gone: fc.boolean(),
  status: fc.constantFrom('active', 'paused'),
  minNativeVersion: fc.constantFrom(null, '4.5.0'),
  native: fc.constantFrom<Partial<ServingBuild>>(
    ...[{}, {}, { nativeRange: '>=4.5 <5 || 6.x' }, { nativeRange: '>4.5.0' }, { fingerprint: 'f1' }],
    ...[{ platform: 'ios' as const }, { platform: 'android' as const, fingerprint: 'f2' }],
  ),
  rolloutPercentage: fc.constantFrom(0, 50, 100),
  rolloutEnabled: fc.boolean(),
  mandatory: fc.boolean(),
  rolledBack: fc.boolean(),
  recalled: fc.constantFrom(undefined, undefined, '1.0.0', '1.0.5'),
  pinned: fc.boolean(),
});

it('has after every change, for devices that it knows as well, what the builds as they are now have', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 20 }),
      fc.array(asking, { minLength: 20, maxLength: 40 }),
      (changes, devices) => {
        const served = new ServedBuilds();
        const rows = new Map<number, ServingBuild>();
        const all = [...asked, ...devices];
        for (const { gone, buildId, rolledBack, pinned, native, recalled, ...more } of changes) {
          const before = rows.get(buildId);
          const facts = buildFacts(buildId, VERSIONS[buildId]!);
          const replaces = recalled && { republishedFromId: 1, republishedVersion: '1.0.0' };
          const after = gone
            ? undefined
            : { ...facts, id: String(buildId), ...unsigned, ...more, ...native, ...replaces };
          served.replace(before, after);
          if (after === undefined) rows.delete(buildId);
          else rows.set(buildId, after);
          // Devices rolled it back or were pinned to it, and versions were recalled, after the choices were remembered.
          for (const device of all) served.choices(1, 'production', device);
          const ofDevice = { id: '', appId: 1, buildId, device: 'hash', at: 0 };
          if (rolledBack) served.rollbacks.add({ ...ofDevice, retries: 0 });
          if (pinned) served.pins.add({ ...ofDevice, target: String(buildId), expiresAt: 1 });
          if (recalled !== undefined) {
            const recall = { id: '', buildId: 99, appId: 1, channel: 'production', version: recalled } as const;
            served.recalls.replaceRecall(undefined, { ...recall, target: 1, ...(rolledBack && { platform: 'ios' }) });
          }

          const active = served
            .ofApp(1)
            .filter((build) => build.active)
            .sort((a, b) => b.version.compare(a.version));
          const ordinary = active.filter(({ isRepublished }) => !isRepublished);
          const builds = {
            ...{ all: ordinary, mandatory: ordinary.filter(({ mandatory }) => mandatory) },
            replacementOf: served.replacementsOf(1, 'production'),
          };
          for (const device of all) {
            expect(served.choices(1, 'production', device)).toEqual(choicesFor(builds, device));
          }
        }
      },
    ),
    { numRuns: 50 },
  );
});

describe('what it remembers', () => {
  const served = new ServedBuilds();
  for (const [buildId, native] of [
    [1, { nativeRange: '^4' }],
    [2, { nativeRange: '>=4.5', fingerprint: 'f1' }],
    [3, { platform: 'ios' }],
    [4, {}],
  ] as const) {
    const facts = { ...buildFacts(buildId, VERSIONS[buildId]!), ...native };
    served.replace(undefined, { ...facts, id: String(buildId), status: 'active', rolloutEnabled: true, ...unsigned });
  }
  const choices = (device: DeviceKind) => served.choices(1, 'production', device);

  it('is the same for a device of the same kind', () => {
    expect(choices(asked[0]!)).toBe(choices(asked[0]!));
    const own = { ...asked[0]!, fingerprint: 'f1', embeddedVersion: parsed('0.2.0') };
    expect(choices(own)).toBe(choices({ ...own, currentVersion: parseVersion('0.9.9')! }));
    expect(choices(own)).not.toBe(choices({ ...own, fingerprint: 'f2' }));
  });

  it('neither grows nor is lost while devices make up versions and fingerprints', () => {
    const before = asked.map(choices);
    const seen = new Set<unknown>();
    for (let made = 0; made < 50_000; made += 1) {
      const [current, native, embedded] = [`0.0.${made}`, `4.${made}.0`, `0.${made % 7}.${made}`];
      const platform = (['ios', 'android', 'web'] as const)[made % 3]!;
      const versions = { currentVersion: parseVersion(current)!, nativeVersion: parsed(native) };
      seen.add(choices({ platform, ...versions, fingerprint: `made up ${made}`, embeddedVersion: parsed(embedded) }));
      seen.add(choices({ platform, ...versions }));
    }
    expect(seen.size).toBeLessThan(20);
    asked.forEach((device, index) => expect(choices(device)).toBe(before[index]));
  });

  it('of another channel stays while devices of a channel with countless ranges make it forget', () => {
    const other = { ...buildFacts(1_000_000, '9.0.0', { appId: 2 }), id: '', status: 'active' as const };
    served.replace(undefined, { ...other, rolloutEnabled: true, ...unsigned });
    const before = served.choices(2, 'production', asked[0]!);
    for (let buildId = 100; buildId < 300; buildId += 1) {
      const facts = {
        ...buildFacts(buildId, `1.0.${buildId}`),
        nativeRange: `>=4.0.${buildId}`,
        rolloutPercentage: 50,
      };
      served.replace(undefined, { ...facts, id: '', status: 'active', rolloutEnabled: true, ...unsigned });
    }
    const seen = new Set<unknown>();
    for (let made = 0; made < 2_000; made += 1) {
      const versions = {
        currentVersion: parseVersion(`1.0.${made % 300}`)!,
        nativeVersion: parsed(`4.0.${made % 299}`),
      };
      seen.add(choices({ platform: 'web', ...versions }));
    }
    expect(seen.size).toBeGreaterThan(200);
    expect(served.choices(2, 'production', asked[0]!)).toBe(before);
  });
});
