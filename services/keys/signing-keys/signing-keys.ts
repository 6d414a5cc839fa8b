import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Caller, ConfiguredSigningKey, ListedSigningKey, RequestOf, rotateSigningKey } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Handled, type Sequence } from '@sluice/event-store';
import { newUlid } from '@sluice/kernel';
import { sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import {
  refuseSecond,
  rotatable,
  type SigningKey,
  signingKey,
  SIGNING_KEY_SEALS,
  type SigningKeyEvent,
  type SigningKeyFacts,
  type SigningKeyState,
  signingKeyStream,
  trustedKeys,
} from './domain/signing-key';
import { GenerationQueue } from './generation-queue';
import { RsaThread } from './rsa-thread';

/** Injection token of the Sequence that signing key ids come from. */
export const SIGNING_KEY_IDS = Symbol('SigningKeyIds');

const DEFAULT_BITS = 3072;
/** So that the last one has its pair within the time that the gateway waits. */
const MAX_GENERATIONS = 8;

/** A key's facts; times are ISO 8601. */
export interface MadeSigningKey extends SigningKeyFacts {
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  /** Keys before it that still sign, oldest first. */
  readonly former: readonly Pick<SigningKeyFacts, 'id' | 'fingerprint'>[];
}

/**
 * RSA key pairs, their private halves (PKCS#8) in the vault and nowhere else. Pairs are made one at a time in a process,
 * on a thread of their own.
 */
@Injectable()
export class SigningKeys implements OnApplicationShutdown {
  private readonly generations = new GenerationQueue(MAX_GENERATIONS);
  private readonly generator = new RsaThread();

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SIGNING_KEY_IDS) private readonly ids: Sequence,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.generator.close();
  }

  /**
   * Answers the key that is active then; for a repeat, the one that it made the first time, which may have a successor
   * by now.
   * @throws DomainError what the decider refuses with; UnavailableError, and nothing is done, when too many wait
   */
  async make(
    type: 'CreateSigningKey' | 'RotateSigningKey',
    request: RequestOf<typeof rotateSigningKey>,
    caller: Caller,
  ): Promise<ConfiguredSigningKey> {
    // What is refused already takes no place in the queue.
    const handled =
      (await this.earlier(type, request, caller)) ??
      (await this.generations.run(
        // Another one may have been made while this one waited.
        async () => (await this.earlier(type, request, caller)) ?? this.generate(type, request, caller),
      ));
    const { state, events } = handled;
    const [made] = events;
    if (
      made?.type !== 'SigningKeyCreated' &&
      made?.type !== 'SigningKeyRolledOver' &&
      made?.type !== 'SigningKeyRotated'
    )
      throw new Error(`The command ${caller.commandId} made no signing key.`);
    const at = made.metadata.at;
    const key = { ...made.data, createdAt: at, rotatedAt: made.type === 'SigningKeyCreated' ? null : at };
    const trusted = trustedKeys(state);
    const place = trusted.findIndex(({ id }) => id === key.id);
    const status = place === -1 ? 'retired' : place === trusted.length - 1 ? 'active' : 'former';
    return signingKeyResource({ ...key, former: trusted.slice(0, Math.max(0, place)) }, status);
  }

  /**
   * What a repeat did the first time; undefined for another command, if it is not refused.
   * @throws DomainError what the decider refuses it with now
   */
  private async earlier(
    type: 'CreateSigningKey' | 'RotateSigningKey',
    { appId, expectedFingerprint }: RequestOf<typeof rotateSigningKey>,
    caller: Caller,
  ): Promise<Handled<SigningKeyState, SigningKeyEvent> | undefined> {
    const stream = signingKeyStream(appId);
    const before = await this.commands.repeat(signingKey, stream, caller);
    if (before !== undefined) return before;
    const { state } = await this.commands.load(signingKey, stream);
    if (type === 'CreateSigningKey') refuseSecond(state);
    else rotatable(state, expectedFingerprint);
    return undefined;
  }

  private async generate(
    type: 'CreateSigningKey' | 'RotateSigningKey',
    { appId, name, scheme, size = DEFAULT_BITS, expectedFingerprint }: RequestOf<typeof rotateSigningKey>,
    caller: Caller,
  ): Promise<Handled<SigningKeyState, SigningKeyEvent>> {
    const { publicKey, privateKey } = await this.generator.run('generate', { bits: size });
    const sealId = `${SIGNING_KEY_SEALS}${newUlid()}`;
    const id = await this.ids.next(caller);
    const key = { id, appId, name, scheme, sealId, publicKey, fingerprint: fingerprintOf(publicKey) };
    const command = type === 'CreateSigningKey' ? { type, key } : { type, key, expectedFingerprint };
    return sealThenAppend(this.vault, sealId, Buffer.from(privateKey), () =>
      this.commands.handle(signingKey, signingKeyStream(appId), command, caller),
    );
  }
}

export function signingKeyResource(
  key: MadeSigningKey,
  status: ConfiguredSigningKey['status'] = 'active',
): ConfiguredSigningKey {
  return {
    configured: true,
    id: key.id,
    name: key.name,
    scheme: key.scheme,
    public_key: key.publicKey,
    fingerprint: key.fingerprint,
    status,
    created_at: key.createdAt,
    rotated_at: key.rotatedAt,
    former_keys: key.former.map(({ id, fingerprint }) => ({ id, fingerprint })),
  };
}

export function listedSigningKey(key: Omit<SigningKey, 'appId' | 'sealId'>): ListedSigningKey {
  return {
    id: key.id,
    name: key.name,
    scheme: key.scheme,
    public_key: key.publicKey,
    fingerprint: key.fingerprint,
    status: key.retiredAt !== null ? 'retired' : key.supersededAt !== null ? 'former' : 'active',
    created_at: key.createdAt,
    superseded_at: key.supersededAt,
    retired_at: key.retiredAt,
  };
}

function fingerprintOf(pem: string): string {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return createHash('sha256').update(der).digest('hex');
}
