import { parseVersion } from '@sluice/kernel';
import fc from 'fast-check';
import { buildFacts } from '../../../test/support/device-plane';
import { choicesFor } from './domain/select-build';
import type { ServingBuild } from './serving.projection';
import { ServedBuilds } from './served-builds';

const VERSIONS = ['0.9.0', '1.0.0', '1.1.0', '2.0.0', '2.1.0', '3.0.0'];
const asked = VERSIONS.flatMap((current) =>
  [undefined, '4', '5'].map((native) => ({
    currentVersion: parseVersion(current)!,
    nativeVersion: native === undefined ? undefined : parseVersion(native),
  })),
);

const unsigned = { manifestRevision: 0, signedByServer: false };

const change = fc.record({
  buildId: fc.integer({ min: 1, max: VERSIONS.length - 1 }),
  gone: fc.boolean(),
  status: fc.constantFrom('active', 'paused'),
  minNativeVersion: fc.constantFrom(null, '4.5.0'),
  rolloutPercentage: fc.constantFrom(0, 50, 100),
  rolloutEnabled: fc.boolean(),
  mandatory: fc.boolean(),
  rolledBack: fc.boolean(),
});

it('has after every change, for devices that it knows as well, what the builds as they are now have', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const served = new ServedBuilds();
      const rows = new Map<number, ServingBuild>();
      for (const { gone, buildId, rolledBack, ...more } of changes) {
        const before = rows.get(buildId);
        const facts = buildFacts(buildId, VERSIONS[buildId]!);
        const after = gone ? undefined : { ...facts, id: String(buildId), ...unsigned, ...more };
        served.replace(before, after);
        if (after === undefined) rows.delete(buildId);
        else rows.set(buildId, after);
        // Devices rolled it back after the choices were remembered.
        for (const versions of asked) served.choices(1, 'production', versions);
        if (rolledBack) served.rollbacks.add({ id: '', appId: 1, buildId, retries: 0, device: 'hash', at: 0 });

        const active = [...rows.values()].filter(({ status }) => status === 'active');
        const all = active.map((row) => served.find(row.buildId)!).sort((a, b) => b.version.compare(a.version));
        const builds = { all, mandatory: all.filter(({ mandatory }) => mandatory), replacementOf: () => undefined };
        for (const versions of asked) {
          expect(served.choices(1, 'production', versions)).toEqual(choicesFor(builds, versions));
        }
      }
    }),
    { numRuns: 50 },
  );
});

it('knows a device of the same versions again', () => {
  const served = new ServedBuilds();
  const row = { ...buildFacts(1, '1.0.0'), id: '1', status: 'active', rolloutEnabled: true, ...unsigned } as const;
  served.replace(undefined, row);
  const versions = asked[0]!;
  expect(served.choices(1, 'production', versions)).toBe(served.choices(1, 'production', versions));
});
