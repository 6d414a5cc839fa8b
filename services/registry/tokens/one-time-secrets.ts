import { Inject, Injectable } from '@nestjs/common';
import { type Caller, credentialHash, newCredential } from '@sluice/contracts';
import { CLOCK, PeriodicTask, LOGGER, type Logger } from '@sluice/service-host';
import { type Clock, DomainError, newUlid, ulidTime } from '@sluice/kernel';
import { sealThenAppend, VAULT, type Vault } from '@sluice/vault';

/** What the ids of these seals begin with; a ULID follows. */
const SEALS = 'shown-';
/** As long as a command can be repeated. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
const SWEEP_MS = 10 * 60 * 1_000;
const PAGE = 100;

/**
 * Access tokens and owner keys, which one answer shows. The secret of a command that can be repeated,
 * one with an Idempotency-Key, stays sealed for a day, so that the repeat shows it again; of any other
 * nothing is kept.
 */
@Injectable()
export class OneTimeSecrets extends PeriodicTask {
  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({
      everyMs: SWEEP_MS,
      firstAfterMs: 0,
      run: () => this.sweep(),
      fault: 'Secrets that were shown can not be swept',
      logger,
    });
  }

  /** Passes a fresh secret to `append`, which appends the event that names its seal; see {@link sealThenAppend}. */
  async issue<Result extends { readonly repeated: boolean }>(
    family: 'svc_pat_' | 'svc_own_',
    caller: Caller,
    append: (secret: { hash: string; sealId: string | null; plaintext: string }) => Promise<Result>,
  ): Promise<Result & { readonly plaintext: string }> {
    const plaintext = newCredential(family);
    const sealId = caller.bodyHash === undefined ? null : `${SEALS}${newUlid()}`;
    const secret = { hash: credentialHash(plaintext), sealId, plaintext };
    const result = await sealThenAppend(this.vault, sealId, Buffer.from(plaintext), () => append(secret));
    return { ...result, plaintext };
  }

  /** @throws DomainError PLAINTEXT_UNAVAILABLE */
  async plaintext(sealId: string | null): Promise<string> {
    const plaintext = sealId === null ? undefined : await this.vault.open(sealId);
    if (plaintext !== undefined) return plaintext.toString();
    throw new DomainError('PLAINTEXT_UNAVAILABLE', 'The secret was shown once, and is not kept. Rotate it instead.');
  }

  /** Deletes the seals that are older than a day; answers how many. */
  async sweep(): Promise<number> {
    let swept = 0;
    for (;;) {
      const ids = await this.vault.ids({ prefix: SEALS, after: '', limit: PAGE });
      const due = this.clock.now().getTime() - KEPT_MS;
      const old = ids.filter((id) => ulidTime(id.slice(SEALS.length)) <= due);
      for (const id of old) if (await this.vault.delete(id)) swept += 1;
      // ULIDs are in the order of their time.
      if (old.length < PAGE) return swept;
    }
  }
}
