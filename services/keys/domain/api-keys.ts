import { DomainError, unknownEvent, type Decider } from '@sluice/kernel';

export interface ApiKeyFacts {
  readonly id: number;
  readonly appId: number;
  readonly name: string;
  /** Abbreviated form of the key, safe to show. */
  readonly preview: string;
  /** SHA-256 of the key. */
  readonly hash: string;
  /** Id of the sealed plaintext in the vault; null when none is kept. */
  readonly sealId: string | null;
}

export interface CreateApiKey {
  readonly type: 'CreateApiKey';
  readonly key: ApiKeyFacts;
}

export interface RevokeApiKey {
  readonly type: 'RevokeApiKey';
  readonly id: number;
}

export type ApiKeyCommand = CreateApiKey | RevokeApiKey;

export type ApiKeyEvent =
  | { readonly type: 'ApiKeyCreated'; readonly data: ApiKeyFacts }
  | { readonly type: 'ApiKeyRevoked'; readonly data: { readonly id: number } };

export type ApiKeyState = Omit<ApiKeyFacts, 'hash'> & { readonly status: 'active' | 'revoked' };

/** By id. */
export type ApiKeys = ReadonlyMap<number, ApiKeyState>;

export const MAX_ACTIVE_KEYS = 3;

/** What the ids of sealed API keys begin with; a ULID follows. */
export const API_KEY_SEALS = 'apiKey-';

/** Stream `apiKeys-{appId}`: the API keys of one app. */
export const apiKeysStream = (appId: number) => `apiKeys-${appId}`;

export const apiKeys: Decider<ApiKeys, ApiKeyCommand, ApiKeyEvent> = {
  initialState: () => new Map(),

  decide: (command, keys) => {
    switch (command.type) {
      case 'CreateApiKey': {
        const active = [...keys.values()].filter((key) => key.status === 'active');
        if (active.length >= MAX_ACTIVE_KEYS) {
          throw new DomainError('MAX_KEYS_REACHED', `The app has ${MAX_ACTIVE_KEYS} active API keys already.`);
        }
        return [{ type: 'ApiKeyCreated', data: command.key }];
      }
      case 'RevokeApiKey': {
        const { status } = existingKey(keys, command.id);
        return status === 'revoked' ? [] : [{ type: 'ApiKeyRevoked', data: { id: command.id } }];
      }
    }
  },

  evolve: (keys, event) => {
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { id, appId, name, preview, sealId } = event.data;
        return new Map(keys).set(id, { id, appId, name, preview, sealId, status: 'active' });
      }
      case 'ApiKeyRevoked': {
        const key = keys.get(event.data.id);
        return key === undefined ? keys : new Map(keys).set(key.id, { ...key, status: 'revoked' });
      }
      default:
        return unknownEvent(event);
    }
  },
};

/** @throws DomainError KEY_NOT_FOUND */
export function existingKey(keys: ApiKeys, id: number): ApiKeyState {
  const key = keys.get(id);
  if (key === undefined) throw new DomainError('KEY_NOT_FOUND', 'There is no such API key.');
  return key;
}
