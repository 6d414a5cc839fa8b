import { specify } from '@sluice/testing';
import { channelDecider, type BuildFacts, type ChannelCommand, type ChannelEvent } from './channel';

const facts = (buildId: number): BuildFacts => ({
  ...{ buildId, bundleId: `bundle-${buildId}`, appId: 7, channel: 'staging', version: `1.0.${buildId}` },
  ...{ objectKey: `bundles/${buildId}.zip`, size: 10, checksum: 'c', signature: null, releaseNotes: null },
  ...{ minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
});
const accepted = (buildId: number): ChannelEvent => ({
  type: 'BuildAccepted',
  data: { ...facts(buildId), jobId: `job-${buildId}` },
});
const activated = (buildId: number): ChannelEvent => ({ type: 'BuildActivated', data: { buildId } });
const deleted = (buildId: number, jobId: string | null): ChannelEvent => ({
  type: 'BuildDeleted',
  data: { buildId, objectKey: `bundles/${buildId}.zip`, jobId },
});
const closed: ChannelEvent = { type: 'ChannelClosed', data: { appId: 7, channel: 'staging' } };
const close: ChannelCommand = { type: 'CloseChannel', appId: 7, channel: 'staging' };

const { given } = specify(channelDecider);

describe('a channel of an app that is being removed', () => {
  it('is closed once, also when it holds nothing', () => {
    given().when(close).then(closed);
    given(accepted(1)).when(close).then(closed);
    given(closed).when(close).then();
  });

  const source = given(accepted(2), activated(2)).state.builds.get(2)!;
  it.each<ChannelCommand>([
    { type: 'AcceptBuild', build: { ...facts(3), jobId: 'job-3' } },
    { type: 'StartPromotion', buildId: 1, promotedId: 9, targetChannel: 'production', target: given().state },
    { type: 'PromoteIn', source, channel: 'staging', buildId: 9, bundleId: 'bundle-9' },
    { type: 'EditBuild', buildId: 1, status: 'paused' },
    { type: 'ChangeRollout', buildId: 1, rolloutPercentage: 5 },
    { type: 'DeleteBuild', buildId: 1 },
    { type: 'ExpireBuilds', buildIds: [1], keep: 1, now: '2026-01-01T00:00:00.000Z' },
  ])('rejects $type as APP_NOT_FOUND', (command) => {
    given(accepted(1), activated(1), closed).when(command).rejects('APP_NOT_FOUND');
  });

  it('of those that were added, rejects what goes in as CHANNEL_NOT_FOUND, and knows none of its builds', () => {
    const channel = 'pr-1.4';
    const [build, goneToo] = [accepted(1), { type: 'ChannelClosed', data: { appId: 7, channel } } as ChannelEvent];
    given(build, activated(1), goneToo)
      .when({ type: 'AcceptBuild', build: { ...facts(3), channel, jobId: 'job-3' } })
      .rejects({ code: 'CHANNEL_NOT_FOUND', message: 'The channel pr-1 was deleted.' });
    given(build, activated(1), goneToo)
      .when({ type: 'PromoteIn', source, channel, buildId: 9, bundleId: 'bundle-9' })
      .rejects('CHANNEL_NOT_FOUND');
    given(build, activated(1), goneToo).when({ type: 'RetryBuild', buildId: 1 }).rejects('BUILD_NOT_FOUND');
  });

  it('gives its builds up, a hundred at a time, with the jobs that still check them', () => {
    given(accepted(1), accepted(2), activated(2), closed)
      .when({ type: 'EmptyChannel' })
      .then(deleted(1, 'job-1'), deleted(2, null));
    const many = Array.from({ length: 150 }, (_, index) => accepted(index + 1));
    const first = given(...many, closed).when({ type: 'EmptyChannel' }).events;
    expect(first).toHaveLength(100);
    expect(given(...many, closed, ...first).when({ type: 'EmptyChannel' }).events).toHaveLength(50);
    given(closed).when({ type: 'EmptyChannel' }).then();
  });

  it('keeps its builds while it is open', () => {
    given(accepted(1)).when({ type: 'EmptyChannel' }).then();
  });

  it.each<ChannelCommand>([
    { type: 'ActivateBuild', buildId: 1 },
    { type: 'FailBuild', buildId: 1, error: 'No zip.' },
  ])('takes $type for the end of a build that was still processing', (command) => {
    given(accepted(1), closed).when(command).then(deleted(1, 'job-1'));
    given(accepted(1), activated(1), closed).when(command).then();
    given(closed).when(command).then();
  });

  it('lets the promise of a bundle be cancelled that it can no longer keep', () => {
    given(closed)
      .when({ type: 'CancelPromotion', buildId: 9 })
      .then({ type: 'PromotionCancelled', data: { buildId: 9 } });
  });
});
