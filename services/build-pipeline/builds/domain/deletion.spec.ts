import { specify } from '@sluice/testing';
import {
  activeHead,
  channelDecider,
  type BuildFacts,
  type ChannelCommand,
  type ChannelEvent,
  type ChannelState,
} from './channel';

const facts = (buildId: number, version: string, channel: BuildFacts['channel'] = 'staging'): BuildFacts => ({
  buildId,
  bundleId: `bundle-${buildId}`,
  appId: 7,
  channel,
  version,
  objectKey: `bundles/${version}.zip`,
  size: 10,
  checksum: 'c',
  signature: null,
  releaseNotes: null,
  minNativeVersion: null,
  rolloutPercentage: 100,
  mandatory: false,
});
const accepted = (buildId: number, version: string): ChannelEvent => ({
  type: 'BuildAccepted',
  data: { ...facts(buildId, version), jobId: `job-${buildId}` },
});
const activated = (buildId: number): ChannelEvent => ({ type: 'BuildActivated', data: { buildId } });
const failed = (buildId: number): ChannelEvent => ({ type: 'BuildFailed', data: { buildId, error: 'No zip.' } });
const archived = (buildId: number): ChannelEvent => ({ type: 'BuildArchived', data: { buildId } });
const cancelled = (buildId: number): ChannelEvent => ({ type: 'PromotionCancelled', data: { buildId } });
const started = (buildId: number, promotedId: number, version = '1.0.0'): ChannelEvent => ({
  type: 'PromotionStarted',
  data: { buildId, appId: 7, objectKey: `bundles/${version}.zip`, promotedId, targetChannel: 'production' },
});
const promoted = (buildId: number, version: string): ChannelEvent => ({
  type: 'BuildPromoted',
  data: { ...facts(buildId, version, 'production'), promotedFromId: 1 },
});
const deleted = (buildId: number, version: string, jobId: string | null = null): ChannelEvent => ({
  type: 'BuildDeleted',
  data: { buildId, objectKey: `bundles/${version}.zip`, jobId },
});

const { given, evolve } = specify(channelDecider);
const remove = (buildId: number): ChannelCommand => ({ type: 'DeleteBuild', buildId });

describe('deleting a build', () => {
  it.each([
    ['active', [activated(1)]],
    ['failed', [failed(1)]],
    ['archived', [activated(1), archived(1)]],
  ])('takes one that is %s', (_, events) =>
    given(accepted(1, '1.0.0'), ...events)
      .when(remove(1))
      .then(deleted(1, '1.0.0')),
  );

  it('names the job of one that is processing', () =>
    given(accepted(1, '1.0.0'))
      .when(remove(1))
      .then(deleted(1, '1.0.0', 'job-1')));

  it('takes one that was promoted', () => given(promoted(2, '1.0.0')).when(remove(2)).then(deleted(2, '1.0.0')));

  it('rejects the second time', () =>
    given(accepted(1, '1.0.0'), deleted(1, '1.0.0', 'job-1'))
      .when(remove(1))
      .rejects('BUILD_NOT_FOUND'));

  it('frees the version', () => {
    const again = { type: 'AcceptBuild', build: { ...facts(2, '1.0.0'), jobId: 'job-2' } } as const;
    given(accepted(1, '1.0.0'), activated(1)).when(again).rejects('VERSION_ALREADY_EXISTS');
    given(accepted(1, '1.0.0'), activated(1), deleted(1, '1.0.0')).when(again).then(accepted(2, '1.0.0'));
  });

  it('makes the next lower active build the head', () => {
    const state = given(accepted(1, '1.0.0'), activated(1), accepted(2, '2.0.0'), activated(2)).state;
    expect(activeHead(state)?.buildId).toBe(2);
    const [event] = channelDecider.decide(remove(2), state);
    expect(activeHead(evolve(state, [event!]))?.buildId).toBe(1);
  });

  it('leaves the version to the build that took it over from a failed one', () => {
    const state = given(accepted(1, '1.0.0'), failed(1), accepted(2, '1.0.0'), deleted(1, '1.0.0')).state;
    expect(state.builds.get(2)).toMatchObject({ status: 'processing' });
    given(accepted(1, '1.0.0'), failed(1), accepted(2, '1.0.0'), deleted(1, '1.0.0'))
      .when({ type: 'AcceptBuild', build: { ...facts(3, '1.0.0'), jobId: 'job-3' } })
      .rejects('VERSION_ALREADY_EXISTS');
  });

  it.each<[string, ChannelCommand]>([
    ['a change', { type: 'EditBuild', buildId: 1, status: 'active' }],
    ['a rollout', { type: 'ChangeRollout', buildId: 1, enabled: true }],
  ])('leaves nothing for %s', (_, command) =>
    given(accepted(1, '1.0.0'), activated(1), deleted(1, '1.0.0')).when(command).rejects('BUILD_NOT_FOUND'),
  );

  it('ignores the deletion of a build that is not there', () => {
    expect(given(deleted(1, '1.0.0')).state).toEqual(given().state);
  });

  it('expires those of the builds named that are beyond the retention', () => {
    const stream = [1, 2, 3].flatMap((buildId) => [accepted(buildId, `${buildId}.0.0`), activated(buildId)]);
    const now = '2026-02-01T00:00:00.000Z';
    const expire = (buildIds: number[], keep: number): ChannelCommand => ({
      ...{ type: 'ExpireBuilds', buildIds, keep, now },
    });
    const pinned = (until: string): ChannelEvent => ({
      ...{ type: 'PinsChanged', data: { buildId: 1, added: 1, removed: 0, devices: 1, until } },
    });
    given(...stream)
      .when(expire([1, 3], 1))
      .then(deleted(1, '1.0.0'));
    given(...stream)
      .when(expire([1, 2, 3], 2))
      .then(deleted(1, '1.0.0'));
    given(...stream)
      .when(expire([1, 2, 3], 0))
      .then();
    given(...stream, pinned('2026-02-01T00:00:01.000Z'))
      .when(expire([1, 2, 3], 1))
      .then(deleted(2, '2.0.0'));
    given(...stream, pinned(now))
      .when(expire([1, 3], 1))
      .then(deleted(1, '1.0.0'));
  });

  it("gives the job's outcome nothing to change", () => {
    const gone = [accepted(1, '1.0.0'), deleted(1, '1.0.0', 'job-1')];
    given(...gone)
      .when({ type: 'ActivateBuild', buildId: 1 })
      .then();
    given(...gone)
      .when({ type: 'FailBuild', buildId: 1, error: 'No zip.' })
      .then();
  });
});

describe('a promotion', () => {
  const start = (target: ChannelState = given().state): ChannelCommand => ({
    type: 'StartPromotion',
    buildId: 1,
    promotedId: 2,
    targetChannel: 'production',
    target,
  });
  const arrive = (): ChannelCommand => ({
    type: 'PromoteIn',
    source: given(accepted(1, '1.0.0'), activated(1)).state.builds.get(1)!,
    channel: 'production',
    buildId: 2,
    bundleId: 'bundle-2',
  });

  it("is promised the bundle by the source's channel", () =>
    given(accepted(1, '1.0.0'), activated(1)).when(start()).then(started(1, 2)));

  it('changes nothing of its source', () => {
    const stream = [accepted(1, '1.0.0'), activated(1)];
    expect(given(...stream, started(1, 2)).state).toEqual(given(...stream).state);
  });

  it('is not started from a deleted build', () =>
    given(accepted(1, '1.0.0'), activated(1), deleted(1, '1.0.0')).when(start()).rejects('BUILD_NOT_FOUND'));

  it('is not started when it would be refused', () => {
    given(accepted(1, '1.0.0')).when(start()).rejects('BUILD_NOT_READY');
    given(accepted(1, '1.0.0'), activated(1))
      .when({ ...start(), targetChannel: 'staging' } as ChannelCommand)
      .rejects('ALREADY_IN_CHANNEL');
    given(accepted(1, '1.0.0'), activated(1))
      .when(start(given(promoted(9, '1.0.0')).state))
      .rejects('VERSION_ALREADY_EXISTS');
  });

  it('does not keep its source from being deleted', () =>
    given(accepted(1, '1.0.0'), activated(1), started(1, 2)).when(remove(1)).then(deleted(1, '1.0.0')));

  it('can be cancelled before it arrives, and is refused then', () => {
    given().when({ type: 'CancelPromotion', buildId: 2 }).then(cancelled(2));
    given(cancelled(2)).when({ type: 'CancelPromotion', buildId: 2 }).then();
    given(cancelled(2)).when(arrive()).rejects('BUILD_NOT_FOUND');
    given(cancelled(3))
      .when(arrive())
      .then(expect.objectContaining({ type: 'BuildPromoted' }) as ChannelEvent);
  });

  it('can not be cancelled once it has arrived', () =>
    given(promoted(2, '1.0.0')).when({ type: 'CancelPromotion', buildId: 2 }).then());
});
