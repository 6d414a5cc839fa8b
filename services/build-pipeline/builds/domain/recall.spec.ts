import { type CapgoDelivery, compareVersions, type Delivery } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import fc from 'fast-check';
import {
  activeHead,
  channelDecider,
  type BuildFacts,
  type ChannelCommand,
  type ChannelEvent,
  type RecallTarget,
} from './channel';

const facts = (buildId: number, version: string, more: Partial<BuildFacts> = {}): BuildFacts => ({
  ...{ buildId, bundleId: `bundle-${buildId}`, appId: 7, channel: 'production', version },
  ...{ objectKey: `bundles/${version}.zip`, size: 10, checksum: `sum-of-${version}`, signature: 'signed' },
  ...{ releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false, ...more },
});
const encrypted = (more: Partial<CapgoDelivery> = {}): Delivery => ({
  capgo: { session_key: `${'A'.repeat(22)}==:${'A'.repeat(342)}==`, checksum: '0'.repeat(512), ...more },
});
const accepted = (buildId: number, version: string, more: Partial<BuildFacts> = {}): ChannelEvent => ({
  type: 'BuildAccepted',
  data: { ...facts(buildId, version, more), jobId: `job-${buildId}` },
});
const activated = (buildId: number): ChannelEvent => ({ type: 'BuildActivated', data: { buildId } });
const live = (buildId: number, version: string, more: Partial<BuildFacts> = {}) => [
  accepted(buildId, version, more),
  activated(buildId),
];
const paused = (buildId: number): ChannelEvent => ({ type: 'BuildPaused', data: { buildId } });
const resumed = (buildId: number): ChannelEvent => ({ type: 'BuildResumed', data: { buildId } });
const deleted = (buildId: number, version: string): ChannelEvent => ({
  type: 'BuildDeleted',
  data: { buildId, objectKey: `bundles/${version}.zip`, jobId: null },
});
const recalled = (buildId: number, version: string, target: RecallTarget, more: object = {}): ChannelEvent => ({
  type: 'BuildRecalled',
  data: {
    ...{ buildId, appId: 7, channel: 'production', version, checksum: `sum-of-${version}` },
    ...{ reason: 'White screen.', target, ...more },
  },
});
const unrecalled = (buildId: number): ChannelEvent => ({ type: 'BuildUnrecalled', data: { buildId } });
/** The build of the version `of`, once more. */
const republished = (buildId: number, version: string, recallOf: number, from: number, of: string): ChannelEvent => ({
  type: 'BuildRepublished',
  data: {
    ...{ ...facts(buildId, of), version, mandatory: true },
    ...{ recallOf, republishedFromId: from, republishedVersion: of },
  },
});
type Wish = Partial<Extract<ChannelCommand, { type: 'RecallBuild' }>>;
const recall = (buildId: number, republishedId: number, wish: Wish = {}): ChannelCommand => ({
  ...{ type: 'RecallBuild', buildId, reason: 'White screen.' },
  ...{ republishedId, bundleId: `bundle-${republishedId}`, ...wish },
});
const unrecall = (buildId: number): ChannelCommand => ({ type: 'UnrecallBuild', buildId });
const { given, evolve } = specify(channelDecider);
const message = (part: string) => expect.stringContaining(part) as string;

/** 1.0.0 is good, 1.1.0 is bad. */
const channel = [...live(1, '1.0.0'), ...live(2, '1.1.0')];
const recall2 = [recalled(2, '1.1.0', 1), republished(3, '1.1.1', 2, 1, '1.0.0')];

describe('the target of a recall', () => {
  /** Build 9 is recalled; 1 to 3 are older. */
  const target = (recalledRules: Partial<BuildFacts>, ...older: Partial<BuildFacts>[]) => {
    const builds = older.flatMap((rules, index) => live(index + 1, `1.${index}.0`, rules));
    const [event] = given(...builds, ...live(9, '2.0.0', recalledRules)).when(recall(9, 20)).events;
    return event?.type === 'BuildRecalled' && event.data.target;
  };

  it('is by default one that every device of the recalled build can run', () => {
    expect(target({ platform: 'ios' }, {}, { platform: 'ios' }, { platform: 'android' })).toBe(2);
    expect(target({}, {}, { platform: 'ios' }, { platform: 'android' })).toBe(1);
    expect(target({ fingerprint: 'f2' }, { fingerprint: 'f2' }, {}, { fingerprint: 'f1' })).toBe(2);
    expect(target({}, {}, { fingerprint: 'f1' })).toBe(1);
    expect(target({}, {}, { delivery: encrypted() })).toBe(1);
    expect(target({ delivery: encrypted() }, { delivery: encrypted() }, {})).toBe(1);
    const [one, other] = [encrypted({ key_id: 'one' }), encrypted({ key_id: 'other' })];
    expect(target({ delivery: one }, { delivery: one }, { delivery: other })).toBe(1);
    expect(target({ delivery: one }, { delivery: one }, { delivery: encrypted() })).toBe(2);
    // Devices of all keys have a build without a key.
    expect(target({ delivery: encrypted() }, { delivery: encrypted() }, { delivery: one })).toBe(1);
    expect(target({ nativeRange: '^2.1' }, { nativeRange: '>=2' }, { nativeRange: '^1' })).toBe(1);
    expect(target({ minNativeVersion: '2.1' }, { nativeRange: '>=2' }, { nativeRange: '>=2 <3' })).toBe(1);
    expect(target({}, {}, { minNativeVersion: '2' })).toBe(1);
    expect(target({ minNativeVersion: '2' }, {}, { minNativeVersion: '2.0' }, { minNativeVersion: '2.1' })).toBe(2);
    expect(target({ nativeRange: '>=3.0.0 <4' }, {}, { minNativeVersion: '3' }, { minNativeVersion: '3.1' })).toBe(2);
  });

  it('can not be one that no device of the recalled build can run', () => {
    const pairs: [Partial<BuildFacts>, Partial<BuildFacts>][] = [
      [{ platform: 'ios' }, { platform: 'android' }],
      [{ fingerprint: 'f1' }, { fingerprint: 'f2' }],
      [{ nativeRange: '^2' }, { nativeRange: '^1' }],
      [{ nativeRange: '^2' }, { minNativeVersion: '3' }],
      [{ delivery: encrypted() }, {}],
      [{}, { delivery: encrypted() }],
      [{ delivery: encrypted({ key_id: 'one' }) }, { delivery: encrypted({ key_id: 'other' }) }],
    ];
    for (const [rules, other] of pairs) {
      const both = given(...live(1, '1.0.0', other), ...live(2, '1.1.0', rules));
      both.when(recall(2, 3, { to: 1 })).rejects({ code: 'VALIDATION_FAILED', errors: { to: [message('No device')] } });
      both.when(recall(2, 3)).rejects('RECALL_TARGET_MISSING');
    }
    const delivery = encrypted();
    given(...live(1, '1.0.0', { delivery }), ...live(2, '1.1.0', { delivery }))
      .when(recall(2, 3, { to: 1 }))
      .then(recalled(2, '1.1.0', 1), {
        type: 'BuildRepublished',
        data: {
          ...facts(3, '1.0.0', { version: '1.1.1', mandatory: true, delivery }),
          ...{ recallOf: 2, republishedFromId: 1, republishedVersion: '1.0.0' },
        },
      });
    given(...live(1, '1.0.0', { platform: 'ios' }), ...live(2, '1.1.0'))
      .when(recall(2, 3, { to: 1 }))
      .then(recalled(2, '1.1.0', 1), {
        type: 'BuildRepublished',
        data: {
          ...facts(3, '1.0.0', { version: '1.1.1', mandatory: true, platform: 'ios' }),
          ...{ recallOf: 2, republishedFromId: 1, republishedVersion: '1.0.0' },
        },
      });
  });

  it('holds the version of the recalled build on its platform', () => {
    const rules = { platform: 'ios' } as const;
    const recalling = given(...live(1, '1.0.0'), ...live(2, '1.1.0', rules)).when(recall(2, 3)).events;
    expect(recalling[0]?.data).toMatchObject(rules);
    const stream = [...live(1, '1.0.0'), ...live(2, '1.1.0', rules), ...recalling, deleted(2, '1.1.0')];
    const accept = (more: Partial<BuildFacts>): ChannelCommand => ({
      type: 'AcceptBuild',
      build: { ...facts(4, '1.1.0', more), jobId: 'job-4' },
    });
    given(...stream)
      .when(accept(rules))
      .rejects('VERSION_ALREADY_EXISTS');
    given(...stream)
      .when(accept({}))
      .rejects('VERSION_ALREADY_EXISTS');
    given(...stream)
      .when(accept({ platform: 'android' }))
      .then(accepted(4, '1.1.0', { platform: 'android' }));
    given(...stream, unrecalled(2), paused(3))
      .when(accept(rules))
      .then(accepted(4, '1.1.0', rules));
  });
});

describe('a recall', () => {
  it('republishes the newest build below it, in one append, above every version of the channel', () => {
    given(...channel)
      .when(recall(2, 3))
      .then(...recall2);
    given(...channel, accepted(4, '1.4.0'))
      .when(recall(2, 5))
      .then(recalled(2, '1.1.0', 1), republished(5, '1.4.1', 2, 1, '1.0.0'));
  });

  it('pauses the build, and its replacement is no head of the channel', () => {
    const { state } = given(...channel, ...recall2);
    expect(state.builds.get(2)).toMatchObject({ status: 'paused' });
    expect(state.builds.get(3)).toMatchObject({ status: 'active', mandatory: true, recallOf: 2, republishedFromId: 1 });
    expect(activeHead(state)?.buildId).toBe(1);
    given(...channel, ...recall2)
      .when({ type: 'AcceptBuild', build: { ...facts(4, '1.0.5'), jobId: 'job-4' } })
      .then(accepted(4, '1.0.5'));
  });

  it('keeps the build from being retried, but not its replacement', () => {
    const recalled = given(...channel, ...recall2);
    recalled.when({ type: 'RetryBuild', buildId: 2 }).rejects({ code: 'BUILD_RECALLED', message: message('Unrecall') });
    recalled.when({ type: 'RetryBuild', buildId: 3 }).then({ type: 'BuildRetried', data: { buildId: 3, retries: 1 } });
  });

  it('takes a version for the replacement', () => {
    given(...channel)
      .when(recall(2, 3, { version: '2.0.0' }))
      .then(recalled(2, '1.1.0', 1), republished(3, '2.0.0', 2, 1, '1.0.0'));
    given(...channel)
      .when(recall(2, 3, { version: '1.0.9' }))
      .rejects({ code: 'VALIDATION_FAILED', errors: { version: [message('1.1.1')] } });
    given(...channel)
      .when(recall(2, 3, { version: '1.1.0' }))
      .rejects({ code: 'VERSION_ALREADY_EXISTS', details: { next_version: '1.1.1' } });
    given(...channel)
      .when(recall(2, 3, { version: '1.2' }))
      .rejects('VALIDATION_FAILED');
    given(...channel)
      .when(recall(2, 3, { to: 'none', version: '1.2.0' }))
      .rejects({ code: 'VALIDATION_FAILED', errors: { version: [message('none')] } });
  });

  it('chooses none that failed, is deleted, recalled or republished, and one that is paused or archived', () => {
    const target = (...events: ChannelEvent[]) => {
      const [event] = given(...live(1, '1.0.0'), ...live(2, '1.1.0'), ...live(9, '2.0.0'), ...events).when(
        recall(9, 20),
      ).events;
      return event?.type === 'BuildRecalled' && event.data.target;
    };
    expect(target()).toBe(2);
    expect(target(paused(2))).toBe(2);
    expect(target({ type: 'BuildArchived', data: { buildId: 2 } })).toBe(2);
    expect(target(deleted(2, '1.1.0'))).toBe(1);
    expect(target(...recall2)).toBe(1);
    expect(target(accepted(5, '1.2.0'))).toBe(2);
    expect(target(accepted(5, '1.2.0'), { type: 'BuildFailed', data: { buildId: 5, error: 'No zip.' } })).toBe(2);
  });

  it('goes to the bundle in the native app, or nowhere, without a replacement', () => {
    for (const to of ['embedded', 'none'] as const) {
      given(...channel)
        .when(recall(2, 3, { to }))
        .then(recalled(2, '1.1.0', to));
    }
    given(...live(1, '1.0.0'))
      .when(recall(1, 3))
      .rejects({ code: 'RECALL_TARGET_MISSING', message: message('"embedded"') });
  });

  it('rejects what can be no target, and changes nothing', () => {
    given(...channel)
      .when(recall(2, 3, { to: 9 }))
      .rejects({ code: 'BUILD_NOT_FOUND', message: message('production, the channel of build 2') });
    given(...channel)
      .when(recall(2, 3, { to: 2 }))
      .rejects({ code: 'VALIDATION_FAILED', errors: { to: [message('2')] } });
    given(...channel, accepted(5, '2.0.0'))
      .when(recall(2, 6, { to: 5 }))
      .rejects('BUILD_NOT_READY');
    given(...channel, ...live(5, '2.0.0'), ...recall2)
      .when(recall(5, 6, { to: 2 }))
      .rejects('BUILD_RECALLED');
    given(...channel, ...live(5, '2.0.0'), ...recall2)
      .when(recall(5, 6, { to: 3 }))
      .rejects({ code: 'BUILD_REPUBLISHED', message: message('build 1') });
  });

  it('rejects a build that no device could run, a replacement, and an empty reason', () => {
    given(accepted(1, '1.0.0')).when(recall(1, 3)).rejects('BUILD_NOT_READY');
    given().when(recall(1, 3)).rejects('BUILD_NOT_FOUND');
    given(...channel, ...recall2)
      .when(recall(3, 4))
      .rejects('BUILD_REPUBLISHED');
    for (const reason of ['', ' \n', 'x'.repeat(501)]) {
      given(...channel)
        .when(recall(2, 3, { reason }))
        .rejects({ code: 'VALIDATION_FAILED', errors: { reason: [message('reason')] } });
    }
  });

  it('has no effect the second time, and takes another target', () => {
    given(...channel, ...recall2)
      .when(recall(2, 4))
      .then();
    given(...channel, ...recall2)
      .when(recall(2, 4, { to: 1, reason: 'Again.' }))
      .then();
    given(...channel, ...recall2)
      .when(recall(2, 4, { to: 'none' }))
      .then(recalled(2, '1.1.0', 'none'), paused(3));
    given(...live(5, '0.9.0'), ...channel, ...recall2)
      .when(recall(2, 6, { to: 5 }))
      .then(recalled(2, '1.1.0', 5), republished(6, '1.1.2', 2, 5, '0.9.0'), paused(3));
    given(...channel, ...recall2)
      .when(recall(2, 4, { everywhere: true }))
      .then(recalled(2, '1.1.0', 1, { everywhere: true }));
  });

  it('withdraws the builds that republish the target when that is recalled too, and restores them', () => {
    const stream = [...live(5, '0.9.0'), ...channel, ...recall2];
    const second = [recalled(1, '1.0.0', 5), republished(6, '1.1.2', 1, 5, '0.9.0'), paused(3)];
    given(...stream)
      .when(recall(1, 6))
      .then(...second);
    given(...stream, ...second)
      .when(unrecall(1))
      .then(unrecalled(1), resumed(3), paused(6));
    given(...stream, ...second)
      .when(unrecall(2))
      .then(unrecalled(2));
  });
});

describe('a recalled build', () => {
  it('is not served again before it is unrecalled', () => {
    for (const status of ['active', 'archived'] as const) {
      given(...channel, ...recall2)
        .when({ type: 'EditBuild', buildId: 2, status })
        .rejects({ code: 'BUILD_RECALLED', message: message('Unrecall') });
    }
    given(...channel, ...recall2)
      .when({ type: 'EditBuild', buildId: 2, status: 'paused' })
      .then();
    given(...channel, ...recall2, unrecalled(2), paused(3))
      .when({ type: 'EditBuild', buildId: 2, status: 'active' })
      .then(resumed(2));
  });

  it('keeps its version when it is deleted, as its replacement does', () => {
    const gone = [...channel, ...recall2, deleted(2, '1.1.0')];
    const upload = (version: string): ChannelCommand => ({
      type: 'AcceptBuild',
      build: { ...facts(9, version), jobId: 'job-9' },
    });
    given(...gone)
      .when(upload('1.1.0'))
      .rejects({ code: 'VERSION_ALREADY_EXISTS', message: message('recalled'), details: { next_version: '1.1.2' } });
    given(...gone)
      .when(upload('1.1.1'))
      .rejects({ code: 'VERSION_ALREADY_EXISTS', message: message('build 2') });
    given(...gone)
      .when(unrecall(2))
      .then(unrecalled(2), paused(3));
    given(...gone, unrecalled(2), paused(3))
      .when(upload('1.1.0'))
      .then(accepted(9, '1.1.0'));
    given(...gone, unrecalled(2), paused(3), deleted(3, '1.1.1'))
      .when(upload('1.1.1'))
      .rejects('VERSION_ALREADY_EXISTS');
    given(...gone)
      .when(recall(2, 9))
      .rejects('BUILD_NOT_FOUND');
  });

  it('is not promoted into its channel from another one', () => {
    const { state } = given(...channel, ...recall2);
    const source = given(...live(11, '1.1.0')).state.builds.get(11)!;
    const copy = { ...source, channel: 'staging' as const, version: '3.0.0' };
    const arrive: ChannelCommand = {
      ...{ type: 'PromoteIn', source: copy, channel: 'production', buildId: 12, bundleId: 'bundle-12' },
    };
    given(...channel, ...recall2)
      .when(arrive)
      .rejects({ code: 'BUILD_RECALLED', details: { recalled_build_id: 2 }, message: message('White screen.') });
    given(...live(11, '1.1.0'))
      .when({ type: 'StartPromotion', buildId: 11, promotedId: 12, targetChannel: 'staging', target: state })
      .rejects('BUILD_RECALLED');
  });
});

describe('a republished build', () => {
  it.each<[string, ChannelCommand]>([
    ['pausing', { type: 'EditBuild', buildId: 3, status: 'paused' }],
    ['another native version', { type: 'EditBuild', buildId: 3, minNativeVersion: '9' }],
    ['a rollout', { type: 'ChangeRollout', buildId: 3, rolloutPercentage: 10 }],
    ['deletion', { type: 'DeleteBuild', buildId: 3 }],
  ])('rejects %s while devices need it', (_, command) =>
    given(...channel, ...recall2)
      .when(command)
      .rejects('BUILD_REPUBLISHED'),
  );

  it('is not deleted while its target is recalled too: devices need it again when that recall ends', () => {
    const second = [recalled(1, '1.0.0', 'none'), paused(3)];
    given(...channel, ...recall2, ...second)
      .when({ type: 'DeleteBuild', buildId: 3 })
      .rejects('BUILD_REPUBLISHED');
    given(...channel, ...recall2, ...second, ...live(4, '9.0.0'))
      .when({ type: 'ExpireBuilds', buildIds: [3], keep: 1, now: '2026-01-01T00:00:00.000Z' })
      .then();
    given(...channel, ...recall2, ...second)
      .when(unrecall(1))
      .then(unrecalled(1), resumed(3));
  });

  it('takes release notes, and is deleted once the recall is over', () => {
    given(...channel, ...recall2)
      .when({ type: 'EditBuild', buildId: 3, releaseNotes: 'Back to 1.0.0.' })
      .then({ type: 'BuildEdited', data: { buildId: 3, releaseNotes: 'Back to 1.0.0.' } });
    given(...channel, ...recall2, unrecalled(2), paused(3))
      .when({ type: 'DeleteBuild', buildId: 3 })
      .then({ type: 'BuildDeleted', data: { buildId: 3, objectKey: 'bundles/1.0.0.zip', jobId: null } });
  });

  it('is kept by the retention for as long as it is used, and does not make the builds below it superfluous', () => {
    const expire: ChannelCommand = {
      type: 'ExpireBuilds',
      buildIds: [1, 2, 3, 4],
      keep: 1,
      now: '2026-01-01T00:00:00.000Z',
    };
    given(...channel, ...recall2, ...live(4, '9.0.0'))
      .when(expire)
      .then(deleted(2, '1.1.0'), deleted(1, '1.0.0'));
  });
});

it('leads every device of a recalled version to a build that is not recalled, whatever happens', () => {
  const step = fc.record({
    kind: fc.constantFrom('upload', 'recall', 'recall', 'unrecall', 'delete', 'pause', 'retarget'),
    pick: fc.nat(30),
    other: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      let state = channelDecider.initialState();
      let next = 1;
      for (const { kind, pick, other } of steps) {
        const ids = [...state.builds.values()].map(({ buildId }) => buildId);
        const buildId = ids[pick % Math.max(ids.length, 1)] ?? 0;
        const id = next++;
        const give = (command: ChannelCommand) => {
          try {
            state = evolve(state, channelDecider.decide(command, state));
          } catch {
            // Rejected: nothing changed.
          }
        };
        if (kind === 'upload') {
          give({ type: 'AcceptBuild', build: { ...facts(id, `${id}.0.0`), jobId: `job-${id}` } });
          give({ type: 'ActivateBuild', buildId: id });
        } else if (kind === 'recall') give(recall(buildId, id));
        else if (kind === 'retarget') give(recall(buildId, id, { to: ids[other % Math.max(ids.length, 1)] ?? 0 }));
        else if (kind === 'unrecall') give(unrecall(buildId));
        else if (kind === 'delete') give({ type: 'DeleteBuild', buildId });
        else give({ type: 'EditBuild', buildId, status: 'paused' });

        for (const { buildId: bad, version, target } of state.recalls.values()) {
          expect(state.builds.get(bad)?.status ?? 'paused').toBe('paused');
          // Over targets that were recalled in turn, never in a circle.
          let last: RecallTarget = target;
          for (let hops = 0; typeof last === 'number' && state.recalls.get(last) !== undefined; hops += 1) {
            expect(hops).toBeLessThan(30);
            last = state.recalls.get(last)!.target;
          }
          if (typeof last !== 'number') continue;
          const replacements = [...state.builds.values()].filter(
            (build) => build.republishedFromId === last && build.status === 'active',
          );
          expect(replacements.some((build) => compareVersions(build.version, version) > 0)).toBe(true);
        }
        for (const build of state.builds.values()) {
          if (build.republishedFromId !== undefined && build.status === 'active') {
            expect(state.recalls.get(build.republishedFromId)).toBeUndefined();
          }
        }
      }
    }),
    { numRuns: 500 },
  );
});
