import type { BuildEvent, Channel } from '@sluice/contracts';
import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';

/** A build that waits for its signature, or that the server has signed. Its id is the build's integer id. */
export interface SignedVersion extends Row {
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  /** ISO 8601; empty while it is not signed. */
  readonly signedAt: string;
}

export const signedVersions: Collection<SignedVersion> = { name: 'signedVersions', indexes: [{ fields: ['appId'] }] };

/**
 * When the server first signed which version of an app. A deleted build stays: devices still run it. A promotion
 * copies a version that is known, and a supplied signature is none of the server's.
 */
export const signedVersionsProjection: Projection<BuildEvent> = {
  name: 'signedVersions',
  version: 2,
  prefixes: ['channel-'],
  collections: [signedVersions],
  apply: (event, rows) => {
    switch (event.type) {
      case 'BuildAccepted': {
        const { buildId, appId, channel, version, signature } = event.data;
        if (signature === null)
          rows.put(signedVersions, { id: String(buildId), appId, channel, version, signedAt: '' });
        return;
      }
      case 'BuildActivated': {
        const { buildId, signature } = event.data;
        const signedAt = event.metadata.at;
        return rows.update(signedVersions, String(buildId), (row) =>
          signature === undefined ? undefined : { ...row, signedAt },
        );
      }
      case 'BuildFailed':
        rows.delete(signedVersions, String(event.data.buildId));
        return;
      case 'ChannelClosed': {
        const { appId, channel } = event.data;
        return rows.deleteWhere(signedVersions, { appId, channel });
      }
      // A republished build has the signature of its source, under a version that the server did not sign itself.
      case 'BuildRepublished':
      case 'BuildRecalled':
      case 'BuildUnrecalled':
      case 'BuildRetried':
      case 'PinsChanged':
      case 'BuildPromoted':
      case 'BuildPaused':
      case 'BuildResumed':
      case 'BuildArchived':
      case 'BuildDeleted':
      case 'BuildEdited':
      case 'RolloutChanged':
      case 'PromotionStarted':
      case 'PromotionCancelled':
        return;
      default:
        unknownEvent(event);
    }
  },
};
