import { type CapgoDelivery, type Delivery, DomainError, compareVersions } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import fc from 'fast-check';
import {
  activeHead,
  channelDecider,
  channelStream,
  type BuildFacts,
  type ChannelBuild,
  type ChannelCommand,
  type ChannelEvent,
} from './channel';

const facts = (buildId: number, version: string, wish: Partial<BuildFacts> = {}): BuildFacts => ({
  buildId,
  bundleId: `bundle-${buildId}`,
  appId: 7,
  channel: 'production',
  version,
  objectKey: `bundles/${buildId}.zip`,
  size: 10,
  checksum: 'c',
  signature: null,
  releaseNotes: null,
  minNativeVersion: null,
  rolloutPercentage: 100,
  mandatory: false,
  ...wish,
});

const encrypted = (more: Partial<CapgoDelivery> = {}): Delivery => ({
  capgo: { session_key: `${'A'.repeat(22)}==:${'A'.repeat(342)}==`, checksum: '0'.repeat(512), ...more },
});
const accepted = (buildId: number, version: string, wish: Partial<BuildFacts> = {}): ChannelEvent => ({
  type: 'BuildAccepted',
  data: { ...facts(buildId, version, wish), jobId: `job${buildId}` },
});
const activated = (buildId: number): ChannelEvent => ({ type: 'BuildActivated', data: { buildId } });
const failed = (buildId: number): ChannelEvent => ({ type: 'BuildFailed', data: { buildId, error: 'No zip.' } });
const archived = (buildId: number): ChannelEvent => ({ type: 'BuildArchived', data: { buildId } });
const paused = (buildId: number): ChannelEvent => ({ type: 'BuildPaused', data: { buildId } });

const accept = (buildId: number, version: string): ChannelCommand => ({
  type: 'AcceptBuild',
  build: { ...facts(buildId, version), jobId: `job${buildId}` },
});
const edit = (buildId: number, edits: Omit<Extract<ChannelCommand, { type: 'EditBuild' }>, 'type' | 'buildId'>) =>
  ({ type: 'EditBuild', buildId, ...edits }) as const;

const { given, evolve } = specify(channelDecider);
const message = (part: string) => expect.stringContaining(part) as string;

describe('activating a build with a signature of the server', () => {
  const activate = { type: 'ActivateBuild', buildId: 1, signature: 'server' } as const;

  it('keeps it where none was supplied, for promoted builds too', () => {
    const signed: ChannelEvent = { type: 'BuildActivated', data: { buildId: 1, signature: 'server' } };
    given(accepted(1, '1.0.0')).when(activate).then(signed);
    expect(given(accepted(1, '1.0.0'), signed).state.builds.get(1)?.signature).toBe('server');
  });

  it('never replaces a supplied one', () =>
    given(accepted(1, '1.0.0', { signature: 'supplied' }))
      .when(activate)
      .then(activated(1)));
});

describe('the audience of a build', () => {
  const audience = { attributes: { plan: { equal: 'pro' } } };
  const names = { attributes: { plan: 'string', os: 'version' }, groups: [] } as const;
  const inProduction = [accepted(1, '1.0.0'), activated(1)];

  it('is recorded with an upload and a promotion', () => {
    const build = { ...facts(1, '1.0.0'), jobId: 'job1', audience };
    given().when({ type: 'AcceptBuild', build, names }).then({ type: 'BuildAccepted', data: build });
    const source = given(...inProduction).state.builds.get(1)!;
    const promote = { type: 'PromoteIn', source, channel: 'staging', buildId: 2, bundleId: 'bundle-2' } as const;
    const { events } = given().when({ ...promote, audience });
    expect(events).toEqual([expect.objectContaining({ data: expect.objectContaining({ audience }) as object })]);
  });

  it('is not that of the source in a promotion without one', () => {
    const source = given(...inProduction, { type: 'BuildEdited', data: { buildId: 1, audience } }).state.builds.get(1)!;
    expect(source.audience).toEqual(audience);
    const promote = { type: 'PromoteIn', source, channel: 'staging', buildId: 2, bundleId: 'bundle-2' } as const;
    const [event] = given().when(promote).events;
    expect(event?.data).not.toHaveProperty('audience');
  });

  it('is set, changed and removed by edits, and one that is the same changes nothing', () => {
    const set: ChannelEvent = { type: 'BuildEdited', data: { buildId: 1, audience } };
    const all: ChannelEvent = { type: 'BuildEdited', data: { buildId: 1, audience: null } };
    given(...inProduction)
      .when(edit(1, { audience, names }))
      .then(set);
    given(...inProduction, set)
      .when(edit(1, { audience: { attributes: { ...audience.attributes } }, names }))
      .then();
    given(...inProduction, set)
      .when(edit(1, { mandatory: false, names }))
      .then();
    given(...inProduction, set)
      .when(edit(1, { audience: null, names }))
      .then(all);
    given(...inProduction)
      .when(edit(1, { audience: null, names }))
      .then();
    expect(given(...inProduction, set, all).state.builds.get(1)?.audience).toBeNull();
  });

  it.each([
    ['without a rule', {}, 'audience', 'at least one rule'],
    [
      'that names an attribute of no app',
      { attributes: { tier: { equal: 'a' } } },
      'audience.attributes.tier',
      'plan, os',
    ],
    ['with a range of text', { attributes: { plan: { range: '>=2' } } }, 'audience.attributes.plan', 'type version'],
    ['with a text as a version', { attributes: { os: { in: ['17', 'new'] } } }, 'audience.attributes.os', '"new"'],
    ['with no range', { attributes: { os: { range: 'new' } } }, 'audience.attributes.os', 'semver range'],
    [
      'with a range of no version',
      { attributes: { os: { range: '>2 <1' } } },
      'audience.attributes.os',
      'semver range',
    ],
    ['that names a group of no app', { groups: ['beta'] }, 'audience.groups', '"beta"'],
  ])('%s is rejected of an upload, a promotion and an edit', (_, wrong, field, part) => {
    const errors = { [field]: [message(part)] };
    const build = { ...facts(1, '1.0.0'), jobId: 'job1', audience: wrong };
    given().when({ type: 'AcceptBuild', build, names }).rejects({ errors });
    const start = { type: 'StartPromotion', buildId: 1, promotedId: 2, targetChannel: 'staging' } as const;
    given(...inProduction)
      .when({ ...start, target: given().state, audience: wrong, names })
      .rejects({ errors });
    given(...inProduction)
      .when(edit(1, { audience: wrong, names }))
      .rejects({ errors });
  });
});

describe('accepting an upload', () => {
  it('records it in an empty channel', () => given().when(accept(1, '1.0.0')).then(accepted(1, '1.0.0')));

  it('rejects a version that exists', () =>
    given(accepted(1, '1.0.0'))
      .when(accept(2, '1.0.0'))
      .rejects({ code: 'VERSION_ALREADY_EXISTS', message: message('1.0.0') }));

  it('rejects a version below the active head', () =>
    given(accepted(1, '2.0.0'), activated(1))
      .when(accept(2, '1.9.9'))
      .rejects({ code: 'VERSION_NOT_NEWER', details: { active_head: '2.0.0' }, message: message('1.9.9') }));

  it('compares versions by number, not by text', () =>
    given(accepted(1, '1.9.0'), activated(1), accepted(2, '1.10.0'), activated(2))
      .when(accept(3, '1.9.5'))
      .rejects('VERSION_NOT_NEWER'));

  describe('where no two versions may carry one signature', () => {
    // Base64 ignores the last bits of `R`.
    const [signature, otherSpelling] = ['c2lnbmVk/Q==', 'c2lnbmVk/R=='];
    const upload = (
      version: string,
      wish: Partial<BuildFacts>,
      others: readonly ChannelEvent[] = [],
    ): ChannelCommand => ({
      type: 'AcceptBuild',
      build: { ...facts(2, version, wish), jobId: 'job2' },
      uniqueAmong: [given(...others).state],
    });
    const supplied = accepted(1, '1.0.0', { signature });
    const made: ChannelEvent = { type: 'BuildActivated', data: { buildId: 1, signature } };

    it('rejects one that another version has, whether a client or the server made it, in any spelling', () => {
      given(supplied)
        .when(upload('2.0.0', { signature }))
        .rejects({ code: 'VALIDATION_FAILED', errors: { signature: [message('1.0.0')] } });
      given(supplied)
        .when(upload('2.0.0', { signature: otherSpelling }))
        .rejects('VALIDATION_FAILED');
      given(accepted(1, '1.0.0'), made).when(upload('2.0.0', { signature })).rejects('VALIDATION_FAILED');
    });

    it('rejects one that a version in another channel carries', () =>
      given()
        .when(upload('2.0.0', { signature }, [accepted(1, '1.0.0', { signature, channel: 'staging' })]))
        .rejects('VALIDATION_FAILED'));

    it('takes it for the same version, and takes uploads without one', () => {
      const again = { signature, channel: 'staging' as const };
      given()
        .when(upload('1.0.0', again, [supplied]))
        .then(accepted(2, '1.0.0', again));
      given(supplied, failed(1))
        .when(upload('1.0.0', { signature }))
        .then(accepted(2, '1.0.0', { signature }));
      given(supplied, made).when(upload('2.0.0', {})).then(accepted(2, '2.0.0'));
      given(accepted(1, '1.0.0'))
        .when(upload('2.0.0', { signature }))
        .then(accepted(2, '2.0.0', { signature }));
      given(supplied)
        .when(upload('2.0.0', { signature: 'b3RoZXI=' }))
        .then(accepted(2, '2.0.0', { signature: 'b3RoZXI=' }));
    });

    it('takes any where the app does not ask for it', () =>
      given(supplied)
        .when({ type: 'AcceptBuild', build: { ...facts(2, '2.0.0', { signature }), jobId: 'job2' } })
        .then(accepted(2, '2.0.0', { signature })));
  });

  it('says that a version exists rather than that it is not newer', () =>
    given(accepted(1, '1.0.0'), activated(1), accepted(2, '2.0.0'), activated(2))
      .when(accept(3, '1.0.0'))
      .rejects('VERSION_ALREADY_EXISTS'));

  it('measures against active builds alone', () =>
    given(accepted(1, '2.0.0'), activated(1), paused(1), accepted(2, '3.0.0'))
      .when(accept(3, '1.0.0'))
      .then(accepted(3, '1.0.0')));

  it('finds the next lower head when the head is archived', () =>
    given(accepted(1, '1.0.0'), activated(1), accepted(2, '2.0.0'), activated(2), archived(2))
      .when(accept(3, '1.5.0'))
      .then(accepted(3, '1.5.0')));

  it('takes a version again whose build failed', () =>
    given(accepted(1, '1.0.0'), failed(1)).when(accept(2, '1.0.0')).then(accepted(2, '1.0.0')));

  it('rejects the version of an archived build', () =>
    given(accepted(1, '1.0.0'), archived(1)).when(accept(2, '1.0.0')).rejects('VERSION_ALREADY_EXISTS'));
});

describe("a job's outcome", () => {
  it('activates a processing build', () =>
    given(accepted(1, '1.0.0')).when({ type: 'ActivateBuild', buildId: 1 }).then(activated(1)));

  it('fails a processing build', () =>
    given(accepted(1, '1.0.0')).when({ type: 'FailBuild', buildId: 1, error: 'No zip.' }).then(failed(1)));

  it.each([
    ['active', [activated(1)]],
    ['failed', [failed(1)]],
    ['archived', [archived(1)]],
    ['paused', [activated(1), paused(1)]],
  ])('leaves a build that is %s as it is', (_, events) => {
    given(accepted(1, '1.0.0'), ...events)
      .when({ type: 'ActivateBuild', buildId: 1 })
      .then();
    given(accepted(1, '1.0.0'), ...events)
      .when({ type: 'FailBuild', buildId: 1, error: 'Late.' })
      .then();
  });
});

describe('editing', () => {
  const active = [accepted(1, '1.0.0'), activated(1)];

  it('pauses and resumes', () => {
    given(...active)
      .when(edit(1, { status: 'paused' }))
      .then(paused(1));
    given(...active, paused(1))
      .when(edit(1, { status: 'active' }))
      .then({ type: 'BuildResumed', data: { buildId: 1 } });
  });

  it.each(['active', 'paused'] as const)('rejects %s for a build that is processing or failed', (status) => {
    given(accepted(1, '1.0.0'))
      .when(edit(1, { status }))
      .rejects({ code: 'BUILD_NOT_READY', details: { status: 'processing' }, message: message(status) });
    given(accepted(1, '1.0.0'), failed(1)).when(edit(1, { status })).rejects('BUILD_NOT_READY');
  });

  it('archives from any status', () => {
    for (const events of [[], [activated(1)], [failed(1)], [activated(1), paused(1)]]) {
      given(accepted(1, '1.0.0'), ...events)
        .when(edit(1, { status: 'archived' }))
        .then(archived(1));
    }
  });

  it('does not archive a failed build whose version another build holds by now', () =>
    given(accepted(1, '1.0.0'), failed(1), accepted(2, '1.0.0'))
      .when(edit(1, { status: 'archived' }))
      .rejects('VERSION_ALREADY_EXISTS'));

  it('brings an archived build back only when its job once completed', () => {
    given(...active, archived(1))
      .when(edit(1, { status: 'paused' }))
      .then(paused(1));
    given(accepted(1, '1.0.0'), archived(1))
      .when(edit(1, { status: 'active' }))
      .rejects('BUILD_NOT_READY');
    given(accepted(1, '1.0.0'), archived(1))
      .when(edit(1, { status: 'paused' }))
      .rejects('BUILD_NOT_READY');
  });

  it('causes nothing when nothing changes', () =>
    given(...active)
      .when(edit(1, { status: 'active', releaseNotes: null, mandatory: false }))
      .then());

  it('decides status and fields together', () =>
    given(...active)
      .when(edit(1, { status: 'paused', releaseNotes: 'Better', minNativeVersion: undefined, mandatory: false }))
      .then(paused(1), { type: 'BuildEdited', data: { buildId: 1, releaseNotes: 'Better' } }));

  it('changes each field alone', () => {
    const edits: Partial<BuildFacts>[] = [{ mandatory: true }, { releaseNotes: 'Better' }, { minNativeVersion: '2.0' }];
    for (const fields of edits) {
      const event: ChannelEvent = { type: 'BuildEdited', data: { buildId: 1, ...fields } };
      given(...active)
        .when(edit(1, fields))
        .then(event);
      expect(given(...active, event).state.builds.get(1)).toMatchObject({
        ...{ rolloutPercentage: 100, rolloutEnabled: true },
        ...fields,
      });
    }
  });

  it('changes no field when the status is refused', () =>
    given(accepted(1, '1.0.0'))
      .when(edit(1, { status: 'active', releaseNotes: 'Better' }))
      .rejects('BUILD_NOT_READY'));

  it('clears notes and native version', () =>
    given(accepted(1, '1.0.0', { releaseNotes: 'Old', minNativeVersion: '2' }))
      .when(edit(1, { releaseNotes: null, minNativeVersion: null }))
      .then({ type: 'BuildEdited', data: { buildId: 1, releaseNotes: null, minNativeVersion: null } }));

  it('rejects an unknown build', () =>
    given()
      .when(edit(9, {}))
      .rejects({ code: 'BUILD_NOT_FOUND', message: message('9') }));
});

describe('expecting a revision', () => {
  const changed = [accepted(1, '1.0.0'), activated(1), accepted(2, '2.0.0')];
  const commands = (ifRevision: number): readonly ChannelCommand[] => [
    edit(1, { status: 'paused', ifRevision }),
    { type: 'ChangeRollout', buildId: 1, enabled: false, ifRevision },
    { type: 'DeleteBuild', buildId: 1, ifRevision },
  ];

  it('changes and deletes the build that has it, whatever happened to others of the channel', () => {
    for (const command of commands(2)) expect(given(...changed).when(command).events).toHaveLength(1);
  });

  it('rejects another one, and returns the revision that the build has', () => {
    for (const command of [...commands(1), ...commands(3), edit(1, { ifRevision: 1 })]) {
      given(...changed)
        .when(command)
        .rejects({ code: 'BUILD_CHANGED', details: { revision: 2 }, message: message('2') });
    }
  });
});

describe('changing the rollout', () => {
  it('keeps the member that is left out', () =>
    given(accepted(1, '1.0.0', { rolloutPercentage: 30 }))
      .when({ type: 'ChangeRollout', buildId: 1, enabled: false })
      .then({ type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 30, enabled: false } }));

  it('changes the percentage alone', () =>
    given(accepted(1, '1.0.0', { rolloutPercentage: 30 }))
      .when({ type: 'ChangeRollout', buildId: 1, rolloutPercentage: 50 })
      .then({ type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 50, enabled: true } }));

  it('resumes from the same percentage', () => {
    const halted: ChannelEvent = {
      type: 'RolloutChanged',
      data: { buildId: 1, rolloutPercentage: 30, enabled: false },
    };
    given(accepted(1, '1.0.0', { rolloutPercentage: 30 }), halted)
      .when({ type: 'ChangeRollout', buildId: 1, enabled: true })
      .then({ type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 30, enabled: true } });
  });

  it('causes nothing when nothing changes', () =>
    given(accepted(1, '1.0.0')).when({ type: 'ChangeRollout', buildId: 1, rolloutPercentage: 100 }).then());
});

describe('retrying', () => {
  const retry = { type: 'RetryBuild', buildId: 1 } as const;
  const retried = (retries: number): ChannelEvent => ({ type: 'BuildRetried', data: { buildId: 1, retries } });
  const live = [accepted(1, '1.0.0'), activated(1)];

  it('counts the times, also of a build that is paused or archived', () => {
    given(...live)
      .when(retry)
      .then(retried(1));
    given(...live, retried(1), paused(1))
      .when(retry)
      .then(retried(2));
    given(...live, archived(1))
      .when(retry)
      .then(retried(1));
    expect(given(...live, retried(1)).state.builds.get(1)).toMatchObject({ retries: 1, revision: 3 });
  });

  it('rejects a build that no device can have rolled back, and one that is not there', () => {
    for (const events of [[], [failed(1)], [archived(1)]]) {
      given(accepted(1, '1.0.0'), ...events)
        .when(retry)
        .rejects({ code: 'BUILD_NOT_READY', message: message('no device can have rolled it back') });
    }
    given().when(retry).rejects('BUILD_NOT_FOUND');
  });
});

describe('the ring of a rollout', () => {
  const ringOf = (...events: ChannelEvent[]) => given(...events).state.builds.get(1)?.ring;
  const changed = (ring: 'stable' | 'per_build'): ChannelEvent => ({
    ...{ type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 100, enabled: true, ring } },
  });
  const change = (ring: 'stable' | 'per_build') => ({ type: 'ChangeRollout', buildId: 1, ring }) as const;

  it('is named by an event only where it changes', () => {
    given(accepted(1, '1.0.0')).when(change('stable')).then(changed('stable'));
    given(accepted(1, '1.0.0')).when(change('per_build')).then();
    given(accepted(1, '1.0.0', { ring: 'stable' }))
      .when(change('stable'))
      .then();
    given(accepted(1, '1.0.0'), changed('stable')).when(change('per_build')).then(changed('per_build'));
    given(accepted(1, '1.0.0', { ring: 'stable' }))
      .when({ type: 'ChangeRollout', buildId: 1, enabled: false })
      .then({ type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 100, enabled: false } });
  });

  it('stays until it is changed', () => {
    expect(ringOf(accepted(1, '1.0.0', { ring: 'stable' }))).toBe('stable');
    const halted: ChannelEvent = {
      ...{ type: 'RolloutChanged', data: { buildId: 1, rolloutPercentage: 5, enabled: false } },
    };
    expect(ringOf(accepted(1, '1.0.0'), changed('stable'), halted)).toBe('stable');
    expect(ringOf(accepted(1, '1.0.0'), changed('stable'), changed('per_build'))).toBe('per_build');
  });

  it('is that of the source after a promotion that names none', () => {
    const source = given(accepted(1, '1.0.0', { channel: 'staging', ring: 'stable' }), activated(1)).state.builds.get(
      1,
    )!;
    const promote = { type: 'PromoteIn', source, channel: 'production', buildId: 2, bundleId: 'bundle-2' } as const;
    const ringAfter = (ring?: 'stable' | 'per_build') => {
      const [event] = channelDecider.decide({ ...promote, ring }, channelDecider.initialState());
      return event?.type === 'BuildPromoted' && event.data.ring;
    };
    expect([ringAfter(), ringAfter('per_build'), ringAfter('stable')]).toEqual(['stable', undefined, 'stable']);
  });
});

describe('recording pins', () => {
  const pins = { buildId: 1, added: 2, removed: 0, devices: 2, until: '2026-04-01T00:00:00.000Z' };
  const record = { type: 'RecordPins', ...pins } as const;
  const changed: ChannelEvent = { type: 'PinsChanged', data: pins };

  it('counts them for the history and the retention, and leaves the build as it is', () => {
    given(accepted(1, '1.0.0')).when(record).then(changed);
    const before = given(accepted(1, '1.0.0')).state.builds.get(1);
    expect(given(accepted(1, '1.0.0'), changed).state.builds.get(1)).toEqual({ ...before, pinnedUntil: pins.until });
  });

  it('rejects a build that is not there', () => given().when(record).rejects('BUILD_NOT_FOUND'));
});

describe('promoting', () => {
  const sourceOf = (...events: ChannelEvent[]): ChannelBuild =>
    given(
      accepted(1, '1.0.0', { channel: 'staging', releaseNotes: 'New', mandatory: true, rolloutPercentage: 5 }),
      ...events,
    ).state.builds.get(1)!;
  const promote = (
    source: ChannelBuild,
    wish: { rolloutPercentage?: number; mandatory?: boolean } = {},
  ): ChannelCommand => ({
    type: 'PromoteIn',
    source,
    channel: 'production',
    buildId: 2,
    bundleId: 'bundle-2',
    ...wish,
  });
  const promoted = (wish: Partial<BuildFacts> = {}): ChannelEvent => ({
    type: 'BuildPromoted',
    data: {
      ...facts(2, '1.0.0', { releaseNotes: 'New', mandatory: true, objectKey: 'bundles/1.zip' }),
      ...wish,
      promotedFromId: 1,
    },
  });

  it('copies the facts, at full rollout', () =>
    given()
      .when(promote(sourceOf(activated(1))))
      .then(promoted()));

  it('takes rollout and mandatory from the call', () =>
    given()
      .when(promote(sourceOf(activated(1)), { rolloutPercentage: 0, mandatory: false }))
      .then(promoted({ rolloutPercentage: 0, mandatory: false })));

  it.each([
    ['paused', [activated(1), paused(1)]],
    ['archived', [activated(1), archived(1)]],
  ])('takes a %s source that was active once', (_, events) =>
    given()
      .when(promote(sourceOf(...events)))
      .then(promoted()),
  );

  it.each([
    ['processing', []],
    ['failed', [failed(1)]],
    ['archived before it was active', [archived(1)]],
  ])('rejects a source that is %s', (_, events) =>
    given()
      .when(promote(sourceOf(...events)))
      .rejects('BUILD_NOT_READY'),
  );

  it('rejects the channel that the build is in', () =>
    given()
      .when({ ...promote({ ...sourceOf(activated(1)), channel: 'production' }) })
      .rejects({ code: 'ALREADY_IN_CHANNEL', message: message('production') }));

  it('rejects a version that exists in the target', () =>
    given(accepted(5, '1.0.0'))
      .when(promote(sourceOf(activated(1))))
      .rejects('VERSION_ALREADY_EXISTS'));

  it("takes a version below the target's head", () =>
    given(accepted(5, '2.0.0'), activated(5))
      .when(promote(sourceOf(activated(1))))
      .then(promoted()));

  it('records that the server made the signature, and not so of a supplied one', () => {
    const [event] = given().when(
      promote(sourceOf({ type: 'BuildActivated', data: { buildId: 1, signature: 'server' } })),
    ).events;
    expect(event).toMatchObject({ type: 'BuildPromoted', data: { signature: 'server', signedByServer: true } });
    expect(given(event!).state.builds.get(2)?.signedByServer).toBe(true);
    const supplied = { ...sourceOf(activated(1)), signature: 'supplied' };
    const [promotion] = given().when(promote(supplied)).events;
    expect(promotion?.data).not.toHaveProperty('signedByServer');
  });

  it('gives a build that can be archived, brought back and promoted again', () => {
    const stream = given(promoted(), archived(2));
    expect(stream.when(edit(2, { status: 'active' })).events).toHaveLength(1);
    expect(stream.state.builds.get(2)).toMatchObject({ wasActive: true, promotedFromId: 1 });
  });
});

it('stops at an event type that a newer release wrote', () =>
  expect(() => given({ type: 'BuildBlessed', data: { buildId: 1 } } as unknown as ChannelEvent).state).toThrow(
    'BuildBlessed',
  ));

/** The rules as a reader of the specification would write them down, without any index. */
interface NaiveBuild {
  readonly version: string;
  readonly platform: Platform | undefined;
  readonly status: string;
  readonly wasActive: boolean;
}

type Platform = 'ios' | 'android';

const status = fc.constantFrom('active', 'paused', 'archived');
const platform = fc.constantFrom<Platform | undefined>(undefined, undefined, 'ios', 'android');
const version = fc.tuple(fc.nat(2), fc.nat(11)).map(([minor, patch]) => `1.${minor}.${patch}`);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('accept' as const), version, platform }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('activate' as const, 'fail' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('edit' as const), pick: fc.nat(), status }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('promote' as const), version, platform }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), pick: fc.nat() }) },
);

const of = ({ platform }: { readonly platform: Platform | undefined }) => (platform === undefined ? {} : { platform });

it('agrees with a naive model of versions, heads and statuses over any history, on every platform', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      let state = channelDecider.initialState();
      const model: NaiveBuild[] = [];
      const set = (id: number, changes: Partial<NaiveBuild>) => (model[id - 1] = { ...model[id - 1]!, ...changes });
      const holds = ({ status: now }: NaiveBuild) => now !== 'failed' && now !== 'deleted';
      /** Both are of one platform, or either is of all. */
      const meet = (one: Platform | undefined, other: Platform | undefined) =>
        one === undefined || other === undefined || one === other;
      const isHeld = (wanted: string, on: Platform | undefined) =>
        model.some((build) => build.version === wanted && meet(build.platform, on) && holds(build));
      const head = (on: Platform | undefined) =>
        model
          .filter((build) => build.status === 'active' && (build.platform === undefined || build.platform === on))
          .map((build) => build.version)
          .sort(compareVersions)
          .at(-1);

      for (const action of steps) {
        const id = 'pick' in action ? 1 + (action.pick % Math.max(1, model.length)) : model.length + 1;
        if ('pick' in action && model.length === 0) continue;
        const build = model[id - 1];
        let command: ChannelCommand;
        let refusal: string | undefined;
        let effect: () => unknown = () => undefined;
        if (action.does === 'accept') {
          const top = head(action.platform);
          const build = { ...facts(id, action.version, of(action)), jobId: `job${id}` };
          command = { type: 'AcceptBuild', build };
          if (isHeld(action.version, action.platform)) refusal = 'VERSION_ALREADY_EXISTS';
          else if (top !== undefined && compareVersions(action.version, top) <= 0) refusal = 'VERSION_NOT_NEWER';
          effect = () =>
            set(id, { version: action.version, platform: action.platform, status: 'processing', wasActive: false });
        } else if (action.does === 'promote') {
          const staged = { channel: 'staging', ...of(action) } as const;
          const source = given(accepted(99, action.version, staged), activated(99)).state.builds.get(99)!;
          command = { type: 'PromoteIn', source, channel: 'production', buildId: id, bundleId: 'b' };
          if (isHeld(action.version, action.platform)) refusal = 'VERSION_ALREADY_EXISTS';
          effect = () =>
            set(id, { version: action.version, platform: action.platform, status: 'active', wasActive: true });
        } else if (action.does === 'edit') {
          command = edit(id, { status: action.status });
          if (build!.status === 'deleted') refusal = 'BUILD_NOT_FOUND';
          else if (
            build!.status === 'failed' &&
            action.status === 'archived' &&
            isHeld(build!.version, build!.platform)
          ) {
            refusal = 'VERSION_ALREADY_EXISTS';
          } else if (action.status !== 'archived' && !build!.wasActive) refusal = 'BUILD_NOT_READY';
          effect = () => set(id, { status: action.status });
        } else if (action.does === 'delete') {
          command = { type: 'DeleteBuild', buildId: id };
          if (build!.status === 'deleted') refusal = 'BUILD_NOT_FOUND';
          effect = () => set(id, { status: 'deleted' });
        } else {
          command =
            action.does === 'activate'
              ? { type: 'ActivateBuild', buildId: id }
              : { type: 'FailBuild', buildId: id, error: 'Broken.' };
          if (build!.status === 'processing') {
            effect = () =>
              action.does === 'activate'
                ? set(id, { status: 'active', wasActive: true })
                : set(id, { status: 'failed' });
          }
        }

        let refused: string | undefined;
        try {
          state = evolve(state, channelDecider.decide(command, state));
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          refused = error.code;
        }
        expect(refused).toBe(refusal);
        if (refusal === undefined) effect();
        for (const on of [undefined, 'ios', 'android'] as const) {
          expect(activeHead(state, on)?.version).toBe(head(on));
        }
        const platforms = model.map((_, index) => state.builds.get(index + 1)?.platform);
        expect(platforms).toEqual(model.map((each) => (each.status === 'deleted' ? undefined : each.platform)));
        const statuses = model.map((_, index) => state.builds.get(index + 1)?.status ?? 'deleted');
        expect(statuses).toEqual(model.map((each) => each.status));
        for (const on of ['ios', 'android'] as const) {
          const held = model.filter((each) => holds(each) && meet(each.platform, on)).map((each) => each.version);
          expect(new Set(held).size).toBe(held.length);
        }
      }
    }),
    { numRuns: 200 },
  );
});

describe('native rules', () => {
  const range = ['The native_range must be a semver range of at most 100 characters, for example >=2.1.0 <3.0.0.'];
  const empty = ['The native_range includes no version. Check its bounds.'];
  const both = message('not both');

  it.each([
    [{ nativeRange: 'newest' }, { native_range: range }],
    [{ nativeRange: `>=1.0.0${' '.repeat(100)}` }, { native_range: range }],
    [{ nativeRange: '>=3 <2' }, { native_range: empty }],
    [{ fingerprint: 'two words' }, { fingerprint: [message('without spaces')] }],
    [{ fingerprint: '' }, { fingerprint: [message('1 to 128')] }],
    [
      { minNativeVersion: '2', nativeRange: '>=2' },
      { min_native_version: [both], native_range: [both] },
    ],
  ])('are checked in uploads and edits: %j', (rules, errors) => {
    const build = { ...facts(1, '1.0.0', rules), jobId: 'job1' };
    given().when({ type: 'AcceptBuild', build }).rejects({ errors });
    given(accepted(1, '1.0.0')).when(edit(1, rules)).rejects({ errors });
  });

  it.each([
    [{ session_key: 'c2Vzc2lvbg==' }, 'session_key must be Base64'],
    [{ checksum: 'a'.repeat(64) }, 'encrypted checksum'],
    [{ key_id: 'two words' }, 'key_id'],
    // Compared with what devices send, it would match none.
    [{ key_id: 'MIIBCgKCAQEAn0LYmtl' }, 'key_id'],
  ])('are checked in uploads of encrypted bundles: %j', (more, rule) => {
    const build = { ...facts(1, '1.0.0', { delivery: encrypted(more) }), jobId: 'job1' };
    given()
      .when({ type: 'AcceptBuild', build })
      .rejects({ errors: { delivery: [message(rule)] } });
  });

  it('about the native version replace each other', () => {
    const edited = (edits: object): ChannelEvent => ({ type: 'BuildEdited', data: { buildId: 1, ...edits } });
    const withMinimum = given(accepted(1, '1.0.0', { minNativeVersion: '2' }));
    withMinimum.when(edit(1, { nativeRange: '^2' })).then(edited({ minNativeVersion: null, nativeRange: '^2' }));
    const withRange = given(accepted(1, '1.0.0', { nativeRange: '^2' }));
    withRange.when(edit(1, { minNativeVersion: '2' })).then(edited({ minNativeVersion: '2', nativeRange: null }));
    withRange.when(edit(1, { nativeRange: null })).then(edited({ nativeRange: null }));
    withRange.when(edit(1, { nativeRange: '^2', fingerprint: null })).then();
    withRange.when(edit(1, { fingerprint: 'f1' })).then(edited({ fingerprint: 'f1' }));
  });

  it('go with a build that is promoted', () => {
    const rules = { nativeRange: '^2', fingerprint: 'f1', platform: 'ios', delivery: encrypted() } as const;
    const source = given(accepted(1, '1.0.0', { channel: 'staging', ...rules }), activated(1)).state.builds.get(1)!;
    const [event] = given().when({
      type: 'PromoteIn',
      source,
      channel: 'production',
      buildId: 2,
      bundleId: 'b',
    }).events;
    expect(event?.data).toMatchObject(rules);
  });

  it('let one version be on both platforms, and name the platform that has it', () => {
    const on = (buildId: number, platform?: Platform) => ({
      ...{ type: 'AcceptBuild' as const },
      build: { ...facts(buildId, '1.0.0', platform && { platform }), jobId: `job${buildId}` },
    });
    const held = given(accepted(1, '1.0.0', { platform: 'ios' }), activated(1));
    held.when(on(2, 'android')).then(accepted(2, '1.0.0', { platform: 'android' }));
    const rejection = { code: 'VERSION_ALREADY_EXISTS', message: message('exists in production for ios already') };
    held.when(on(2, 'ios')).rejects(rejection);
    held.when(on(2)).rejects(rejection);
  });
});

describe('versions that no channel can sort', () => {
  const version = ['The version must be major.minor.patch in strict semver, for example 1.4.0.'];
  const native = ['The min_native_version must be a version, for example 1.2 or 1.2.3.'];

  it.each(['1.0', 'v1.0.0', '1.0.0-beta', `${'9'.repeat(16)}.0.0`])('are rejected of an upload: %s', (wrong) => {
    given().when(accept(1, wrong)).rejects({ errors: { version } });
  });

  it('are rejected as native versions of uploads and of edits', () => {
    const build = { ...facts(1, '1.0.0', { minNativeVersion: 'newest' }), jobId: 'job1' };
    given()
      .when({ type: 'AcceptBuild', build })
      .rejects({ errors: { min_native_version: native } });
    given(accepted(1, '1.0.0'))
      .when(edit(1, { minNativeVersion: 'newest' }))
      .rejects({ errors: { min_native_version: native } });
  });
});

it('remembers when a build appeared and when it last changed', () => {
  const { state } = given(accepted(1, '1.0.0'), accepted(2, '1.1.0'), activated(1), archived(1));
  expect(state.builds.get(1)).toMatchObject({ createdAt: eventTime(0), updatedAt: eventTime(3) });
  expect(state.builds.get(2)).toMatchObject({ createdAt: eventTime(1), updatedAt: eventTime(1) });
});

it('keeps its events in the stream channel-7-production', () => {
  expect(channelStream(7, 'production')).toBe('channel-7-production');
});
