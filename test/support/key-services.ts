import type { ApiKeyUse, signDigest, ReplyOf } from '@sluice/contracts';
import type { JsonObject } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';

type Signatures = ReplyOf<typeof signDigest>['signatures'];

/** A bus on which the keys service stores uses of API keys: those that `record` resolves with, by default all. */
export function recordingUses(
  record: (uses: ApiKeyUse[]) => Promise<readonly number[]> = (uses) => Promise.resolve(uses.map(({ id }) => id)),
): Pick<Messaging, 'request'> {
  const request = async (_: unknown, { uses }: { uses: ApiKeyUse[] }) => ({ recorded: await record(uses) });
  return { request } as unknown as Pick<Messaging, 'request'>;
}

/** This bus, on which the keys service signs digests as `sign` does. */
export function signing(
  messaging: Messaging,
  sign: (appId: number, digest: string) => Promise<Signatures>,
): Pick<Messaging, 'announce' | 'request'> {
  const request = async (_: unknown, { appId, digest }: { appId: number; digest: string }) => ({
    signatures: await sign(appId, digest),
  });
  return { announce: (topic: string, body: JsonObject) => messaging.announce(topic, body), request } as unknown as Pick<
    Messaging,
    'announce' | 'request'
  >;
}
