import type { TokenUse } from '@sluice/contracts';
import type { Collection, Row, StateStore } from '@sluice/document-store';

/** How an access token is used, in the state store; `id` spells the token's integer id. */
interface TokenUsage extends Row {
  /** ISO 8601. */
  readonly lastUsedAt: string;
}

export const tokenUsage: Collection<TokenUsage> = { name: 'tokenUsage', indexes: [] };

/** When each of these tokens was last used, ISO 8601; null for one that never was. */
export async function lastUses(state: StateStore, tokenIds: readonly number[]): Promise<(string | null)[]> {
  const rows = await state.rows(tokenUsage).find({ where: { id: { in: tokenIds.map(String) } } });
  const byId = new Map(rows.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
  return tokenIds.map((id) => byId.get(String(id)) ?? null);
}

/** Another gateway may have recorded a later use. */
export async function recordUses(state: StateStore, uses: readonly TokenUse[]): Promise<void> {
  const known = await lastUses(
    state,
    uses.map(({ id }) => id),
  );
  const later = uses.filter(({ usedAt }, index) => usedAt > (known[index] ?? ''));
  await state.rows(tokenUsage).putMany(later.map(({ id, usedAt }) => ({ id: String(id), lastUsedAt: usedAt })));
}
