import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type Caller,
  type ConfiguredSigningKey,
  createSigningKey,
  getSigningCertificate,
  getSigningKey,
  type ListedSigningKey,
  listSigningKeys,
  type RequestOf,
  retireSigningKey,
  rotateSigningKey,
  signDigest,
  type SigningCertificate,
  type SigningKey,
} from '@sluice/contracts';
import { findPage, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, createSequence, type Handled, type Sequence } from '@sluice/event-store';
import { newUlid, UnavailableError } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { dropSeal, sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import {
  refuseSecond,
  rotatable,
  type SigningKey as KeyOfRing,
  signingKey,
  SIGNING_KEY_SEALS,
  type SigningKeyEvent,
  type SigningKeyFacts,
  signingKeyNotFound,
  type SigningKeyState,
  signingKeyStream,
  trustedKeys,
} from './domain/signing-key';
import { GenerationQueue } from './generation-queue';
import { unsignedCertificate } from './certificate';
import { RsaThread } from './rsa-thread';
import { listedSigningKeyRows, signingKeyRows, signingKeysProjection } from './signing-keys.projection';

const DEFAULT_BITS = 3072;
/** So that the last one has its pair within the time that the gateway waits. */
const MAX_GENERATIONS = 8;

type NewKey = 'CreateSigningKey' | 'RotateSigningKey';

/** A key's facts; times are ISO 8601. */
interface MadeSigningKey extends SigningKeyFacts {
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  /** Keys before it that still sign, oldest first. */
  readonly former: readonly Pick<SigningKeyFacts, 'id' | 'fingerprint'>[];
}

/**
 * RSA key pairs, their private halves (PKCS#8) in the vault and nowhere else. Pairs are made one at a time in a process,
 * on a thread of their own. Signatures have another, so that they never wait for a pair that is being made.
 */
@Injectable()
export class SigningKeyHandlers implements OnApplicationShutdown {
  private readonly ids: Sequence;
  private readonly generations = new GenerationQueue(MAX_GENERATIONS);
  private readonly generator = new RsaThread();
  private readonly signer = new RsaThread();

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(VAULT) private readonly vault: Vault,
  ) {
    this.ids = createSequence({ commands, name: 'signingKeys' });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.generator.close(), this.signer.close()]);
  }

  @HandlesQuery(getSigningKey)
  async get({ appId }: RequestOf<typeof getSigningKey>): Promise<SigningKey> {
    const { name } = signingKeysProjection;
    const view = this.readStore.view(name, signingKeyRows);
    const row = await this.projections.find(name, () => view.get(String(appId)));
    return row === undefined ? { configured: false } : signingKeyResource({ ...row, id: row.number });
  }

  @HandlesQuery(listSigningKeys)
  async list({ appId, ...page }: RequestOf<typeof listSigningKeys>) {
    const view = this.readStore.view(signingKeysProjection.name, listedSigningKeyRows);
    const sort = [
      ['position', 'desc'],
      ['id', 'desc'],
    ] as const;
    const { rows, total } = await findPage(view, { where: { appId }, sort, ...page });
    return { items: rows.map((row) => listedSigningKey({ ...row, id: row.number })), total };
  }

  @HandlesCommand(createSigningKey)
  create(request: RequestOf<typeof createSigningKey>, caller: Caller): Promise<ConfiguredSigningKey> {
    return this.make('CreateSigningKey', request, caller);
  }

  @HandlesCommand(rotateSigningKey)
  rotate(request: RequestOf<typeof rotateSigningKey>, caller: Caller): Promise<ConfiguredSigningKey> {
    return this.make('RotateSigningKey', request, caller);
  }

  /** A former key signs nothing any more; its private half is dropped. */
  @HandlesCommand(retireSigningKey)
  async retire({ appId, id }: RequestOf<typeof retireSigningKey>, caller: Caller): Promise<ListedSigningKey> {
    const command = { type: 'RetireSigningKey', appId, id } as const;
    const { state, events } = await this.commands.handle(signingKey, signingKeyStream(appId), command, caller);
    for (const event of events)
      if (event.type === 'FormerSigningKeyRetired') await dropSeal(this.vault, event.data.sealId);
    const keys = state === null || state === 'closed' ? [] : [...trustedKeys(state), ...state.retired];
    const key = keys.find((each) => each.id === id);
    if (key === undefined) throw signingKeyNotFound(id);
    return listedSigningKey(key);
  }

  @HandlesQuery(getSigningCertificate)
  async certificate({ appId, id }: RequestOf<typeof getSigningCertificate>): Promise<SigningCertificate> {
    const { state } = await this.commands.load(signingKey, signingKeyStream(appId));
    const key = trustedKeys(state).find((each) => each.id === id);
    const privateKey = key && (await this.vault.open(key.sealId));
    if (key === undefined || privateKey === undefined) throw signingKeyNotFound(id);
    const unsigned = unsignedCertificate(key);
    const keys = [{ privateKey, scheme: 'pkcs1v15' as const }];
    const [signature = new Uint8Array()] = await this.signer.run('sign', { digest: unsigned.digest, keys });
    const [from, until] = [unsigned.validFrom, unsigned.validUntil].map((at) => at.toISOString());
    return {
      ...{ certificate: unsigned.signedBy(signature), keyid: String(id), alg: 'rsa-v1_5-sha256' },
      ...{ valid_from: from ?? '', valid_until: until ?? '' },
    };
  }

  /** Signs by every key that clients may trust now. `digest`: hex SHA-256. */
  @HandlesQuery(signDigest)
  async sign({ appId, digest, scheme: only }: RequestOf<typeof signDigest>) {
    const { state } = await this.commands.load(signingKey, signingKeyStream(appId));
    const trusted = trustedKeys(state);
    const keys = await Promise.all(
      trusted.map(async ({ sealId, scheme }) => {
        const privateKey = await this.vault.open(sealId);
        // Another process retired it just now; the next attempt reads that.
        if (privateKey === undefined) throw new UnavailableError('A signing key was retired meanwhile.');
        return { privateKey, scheme: only ?? scheme };
      }),
    );
    if (keys.length === 0) return { signature: null, signatures: [] };
    const made = await this.signer.run('sign', { digest: Buffer.from(digest, 'hex'), keys });
    const signatures = trusted.map(({ id }, index) => ({
      key_id: id,
      signature: Buffer.from(made[index] ?? []).toString('base64'),
    }));
    return { signature: signatures[0]?.signature ?? null, signatures };
  }

  /**
   * Answers the key that is active then; for a repeat, the one that it made the first time, which may have a successor
   * by now.
   * @throws DomainError of the decider; UnavailableError, and nothing is done, when too many wait
   */
  private async make(
    type: NewKey,
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
   * @throws DomainError of the decider, from the present state
   */
  private async earlier(
    type: NewKey,
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
    type: NewKey,
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

function signingKeyResource(
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

function listedSigningKey(key: Omit<KeyOfRing, 'appId' | 'sealId'>): ListedSigningKey {
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
