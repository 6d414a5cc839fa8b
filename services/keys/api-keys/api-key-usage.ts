import type { ApiKeyUse } from '@sluice/contracts';
import type { Collection, Row, StateStore } from '@sluice/document-store';

/** How devices use an app API key, in the state store; `id` spells the key's integer id. */
export interface ApiKeyUsage extends Row {
  readonly blockedCount: number;
  /** Times are ISO 8601. */
  readonly lastBlockedAt: string | null;
  readonly lastBlockedReason: string | null;
  readonly lastUsedAt: string | null;
  /** Left out: none since the server records them. */
  readonly lastCheck?: NonNullable<ApiKeyUse['check']>;
}

export const apiKeyUsage: Collection<ApiKeyUsage> = { name: 'apiKeyUsage', indexes: [] };

/**
 * Adds what one process saw to what all have seen: the sum of each count, the later of each time. Answers the ids of the
 * keys whose use is stored.
 * @throws the first fault when no use could be stored
 */
export async function recordUses(state: StateStore, uses: readonly ApiKeyUse[]): Promise<number[]> {
  const rows = state.rows(apiKeyUsage);
  const record = async (use: ApiKeyUse) => {
    const id = String(use.id);
    await rows.update(id, (row) => ({ id, ...added(row, use) }));
    return use.id;
  };
  const outcomes = await Promise.allSettled(uses.map(record));
  const recorded = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const outcome of outcomes) {
    if (recorded.length === 0 && outcome.status === 'rejected') throw outcome.reason;
  }
  return recorded;
}

function added(row: ApiKeyUsage | undefined, use: ApiKeyUse): Omit<ApiKeyUsage, 'id'> {
  const { blockedCount = 0, lastBlockedAt = null, lastBlockedReason = null, lastUsedAt = null } = row ?? {};
  const lastCheck =
    use.check !== undefined && isLater(use.check.at, row?.lastCheck?.at ?? null) ? use.check : row?.lastCheck;
  const blockedLast = use.blocked > 0 && isLater(use.blockedAt, lastBlockedAt);
  return {
    blockedCount: blockedCount + use.blocked,
    lastBlockedAt: blockedLast ? use.blockedAt : lastBlockedAt,
    lastBlockedReason: blockedLast ? use.blockedReason : lastBlockedReason,
    lastUsedAt: isLater(use.usedAt, lastUsedAt) ? use.usedAt : lastUsedAt,
    ...(lastCheck && { lastCheck }),
  };
}

const isLater = (time: string | null, stored: string | null): boolean =>
  time !== null && (stored === null || Date.parse(time) > Date.parse(stored));
