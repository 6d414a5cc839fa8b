import type { Collection, Row } from '@sluice/document-store';

/**
 * How devices use an app API key, in the state store. Added to by every device process, in batches;
 * `id` spells the key's integer id.
 */
export interface ApiKeyUsage extends Row {
  readonly blockedCount: number;
  /** Times are ISO 8601. */
  readonly lastBlockedAt: string | null;
  /** Spec 5, last_blocked_reason. */
  readonly lastBlockedReason: string | null;
  readonly lastUsedAt: string | null;
}

export const apiKeyUsage: Collection<ApiKeyUsage> = { name: 'apiKeyUsage', indexes: [] };
