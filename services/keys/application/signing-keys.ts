import { createHash, generateKeyPair } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller, ConfiguredSigningKey, createSigningKey, ReplyOf, RequestOf, signDigest } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { DomainError, newUlid, UnavailableError } from '@sluice/kernel';
import { VAULT, type Vault } from '@sluice/vault';
import {
  activeSigningKey,
  refuseSecond,
  signingKey,
  SIGNING_KEY_SEALS,
  signingKeyStream,
  type SigningKeyFacts,
} from '../domain/signing-key';
import type { Signing } from './signing.worker';

/** Injection token of the Sequence that signing key ids come from. */
export const SIGNING_KEY_IDS = Symbol('SigningKeyIds');

const DEFAULT_BITS = 3072;

/** A key's facts; times are ISO 8601. */
export type MadeSigningKey = SigningKeyFacts & { readonly createdAt: string; readonly rotatedAt: string | null };

/** RSA key pairs: made off the event loop, their private halves (PKCS#8) in the vault and nowhere else. */
@Injectable()
export class SigningKeys {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SIGNING_KEY_IDS) private readonly ids: Sequence,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  /** Answers the key that is active then; for a repeat, the one that it made the first time, which may be retired by now. */
  async make(
    type: 'CreateSigningKey' | 'RotateSigningKey',
    { appId, name, scheme, size = DEFAULT_BITS }: RequestOf<typeof createSigningKey>,
    caller: Caller,
  ): Promise<ConfiguredSigningKey> {
    const stream = signingKeyStream(appId);
    // A pair takes a while to make: not for a refusal that is known already. A repeat is none.
    if ((await this.commands.repeat(signingKey, stream, caller)) === undefined) {
      const { state } = await this.commands.load(signingKey, stream);
      if (type === 'CreateSigningKey') refuseSecond(state);
      else activeSigningKey(state);
    }
    const sealId = `${SIGNING_KEY_SEALS}${newUlid()}`;
    const pair = await promisify(generateKeyPair)('rsa', {
      modulusLength: size,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    });
    const key = {
      ...{ id: await this.ids.next(caller), appId, name, scheme, sealId },
      publicKey: pair.publicKey,
      fingerprint: fingerprintOf(pair.publicKey),
    };
    await this.vault.seal(sealId, pair.privateKey);
    try {
      const { state, events, repeated } = await this.commands.handle(signingKey, stream, { type, key }, caller);
      const [made] = events;
      if (made === undefined || made.type === 'SigningKeyClosed')
        throw new Error(`The command ${caller.commandId} made no signing key.`);
      if (repeated) await this.drop(sealId);
      if (made.type === 'SigningKeyRotated') await this.drop(made.data.formerSealId);
      const at = made.metadata.at;
      const isActive = state !== null && state !== 'closed' && state.id === made.data.id;
      return signingKeyResource(
        { ...made.data, createdAt: at, rotatedAt: made.type === 'SigningKeyRotated' ? at : null },
        isActive ? 'active' : 'retired',
      );
    } catch (error) {
      // After an unknown outcome an event may name the seal: then it stays.
      if (error instanceof DomainError && !(error instanceof UnavailableError)) await this.drop(sealId);
      throw error;
    }
  }

  /** Signs by the key that is active now. `digest`: hex SHA-256. */
  async sign(appId: number, digest: string): Promise<ReplyOf<typeof signDigest>> {
    const { state } = await this.commands.load(signingKey, signingKeyStream(appId));
    if (state === null || state === 'closed') return { signature: null, signatures: [] };
    const sealed = await this.vault.open(state.sealId);
    // Another process rotated it just now, and the next attempt finds its successor.
    if (sealed === undefined) throw new UnavailableError('The signing key was replaced meanwhile.');
    const { id, scheme } = state;
    const signature = await signInThread({ digest: Buffer.from(digest, 'hex'), privateKey: sealed, scheme });
    return { signature, signatures: [{ key_id: id, signature }] };
  }

  /** Best effort: what stays is an orphan, which is swept. */
  private async drop(sealId: string): Promise<void> {
    await this.vault.delete(sealId).catch(() => false);
  }
}

/** Base64. Node makes RSA signatures of a digest on the calling thread only, for longer than one that serves may stop. */
async function signInThread(signing: Signing): Promise<string> {
  const thread = new Worker(require.resolve('./signing.worker'), { workerData: signing });
  const [signature] = (await once(thread, 'message')) as [Uint8Array];
  return Buffer.from(signature).toString('base64');
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
  };
}

function fingerprintOf(pem: string): string {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  return createHash('sha256').update(der).digest('hex');
}
