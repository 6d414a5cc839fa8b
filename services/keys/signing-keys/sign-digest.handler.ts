import { Inject, type OnApplicationShutdown } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ReplyOf, signDigest } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { UnavailableError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { VAULT, type Vault } from '@sluice/vault';
import { signingKey, signingKeyStream, trustedKeys } from './domain/signing-key';
import { RsaThread } from './rsa-thread';

export class SignDigest extends QueryOf(signDigest) {}

/**
 * Signs by every key that clients may trust now. `digest`: hex SHA-256. Signatures have a thread of their own, so that
 * they never wait for a pair that is being made.
 */
@QueryHandler(SignDigest)
export class SignDigestHandler implements IQueryHandler<SignDigest>, OnApplicationShutdown {
  private readonly signer = new RsaThread();

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.signer.close();
  }

  async execute({ request: { appId, digest } }: SignDigest): Promise<ReplyOf<typeof signDigest>> {
    const { state } = await this.commands.load(signingKey, signingKeyStream(appId));
    const trusted = trustedKeys(state);
    const keys = await Promise.all(
      trusted.map(async ({ sealId, scheme }) => {
        const privateKey = await this.vault.open(sealId);
        // Another process retired it just now, and the next attempt knows.
        if (privateKey === undefined) throw new UnavailableError('A signing key was retired meanwhile.');
        return { privateKey, scheme };
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
}
