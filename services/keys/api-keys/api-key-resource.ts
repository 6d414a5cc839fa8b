import type { ApiKey } from '@sluice/contracts';
import type { StateStore } from '@sluice/document-store';
import type { ApiKeyState } from './domain/api-keys';
import { apiKeyUsage } from './api-key-usage';

/** The safe views of the API, with what the state store knows of the keys' use. */
export async function apiKeyResources(state: StateStore, keys: readonly ApiKeyState[]): Promise<ApiKey[]> {
  const used = await state.rows(apiKeyUsage).find({ where: { id: { in: keys.map((key) => String(key.id)) } } });
  const usageById = new Map(used.map((usage) => [usage.id, usage]));
  return keys.map((key) => {
    const usage = usageById.get(String(key.id));
    return {
      id: key.id,
      name: key.name,
      key_preview: key.preview,
      status: key.status,
      recoverable: key.sealId !== null,
      restrictions: key.restrictions,
      unrestricted: Object.keys(key.restrictions).length === 0,
      blocked_count: usage?.blockedCount ?? 0,
      last_blocked_at: usage?.lastBlockedAt ?? null,
      last_blocked_reason: usage?.lastBlockedReason ?? null,
      last_used_at: usage?.lastUsedAt ?? null,
      rotated_at: key.rotatedAt,
      created_at: key.createdAt,
    };
  });
}

/** As {@link apiKeyResources}, of one key. */
export async function apiKeyResource(state: StateStore, key: ApiKeyState): Promise<ApiKey> {
  const [resource] = await apiKeyResources(state, [key]);
  if (resource === undefined) throw new Error(`The API key ${key.id} has no view.`);
  return resource;
}
