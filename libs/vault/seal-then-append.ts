import { DomainError, UnavailableError } from '@sluice/kernel';
import type { Vault } from './vault';

/**
 * Seals a secret before the event that names the seal is appended, so that no event ever names a seal that does not
 * exist. The seal is deleted again when the event is not there: the command was rejected, or it is a repeat, whose
 * event names an earlier seal. After an unknown outcome an event may name the seal, so it stays.
 *
 * @param sealId null: nothing is sealed
 * @throws what `seal` and `append` throw
 */
export async function sealThenAppend<Result extends { readonly repeated: boolean }>(
  vault: Pick<Vault, 'seal' | 'delete'>,
  sealId: string | null,
  secret: Buffer,
  append: () => Promise<Result>,
): Promise<Result> {
  if (sealId !== null) await vault.seal(sealId, secret);
  try {
    const result = await append();
    if (result.repeated) await dropSeal(vault, sealId);
    return result;
  } catch (error) {
    if (error instanceof DomainError && !(error instanceof UnavailableError)) await dropSeal(vault, sealId);
    throw error;
  }
}

/** Best effort: a seal that stays is an orphan, which a sweep deletes, and no reason to fail a response. */
export async function dropSeal(vault: Pick<Vault, 'delete'>, sealId: string | null | undefined): Promise<void> {
  if (typeof sealId === 'string') await vault.delete(sealId).catch(() => false);
}

/** Drops the secrets that these events made useless: those of `sealIds`, where an event lists them, else `formerSealId`. */
export async function dropFormerSeals(
  vault: Pick<Vault, 'delete'>,
  events: Iterable<{ readonly data: object }>,
): Promise<void> {
  for (const { data } of events) {
    const { formerSealId, sealIds } = data as { formerSealId?: string | null; sealIds?: readonly string[] };
    for (const sealId of sealIds ?? [formerSealId]) await dropSeal(vault, sealId);
  }
}
