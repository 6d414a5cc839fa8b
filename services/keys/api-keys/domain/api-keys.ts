import { type Channel, channelName, DomainError, requireName, unknownEvent, type Decider } from '@sluice/kernel';
import { appNotFound } from '../../domain/app-not-found';

/** A fresh secret, without the secret itself. */
export interface ApiKeySecret {
  /** Abbreviated form of the key, safe to show. */
  readonly preview: string;
  /** SHA-256 of the key. */
  readonly hash: string;
  /** Id of the sealed plaintext in the vault; null when none is kept. */
  readonly sealId: string | null;
}

export interface ApiKeyFacts extends ApiKeySecret {
  readonly id: number;
  readonly appId: number;
  readonly name: string;
  /** The channel that it belongs to; left out, it is for all channels. */
  readonly channel?: Channel;
  /** Of the devices that use it, whose client does not send it; left out: not known. */
  readonly platform?: 'ios' | 'android';
  /** Its text was given; left out: it was made by the server. */
  readonly imported?: true;
}

/**
 * Who may use a key: a caller that meets one entry of any kind; without any entry, everybody. And for what: for these
 * channels; without any, for all.
 */
export interface Restrictions {
  readonly origins?: string[] | undefined;
  readonly android?: { package_name: string; sha256?: string[] | undefined; sha1?: string[] | undefined }[] | undefined;
  readonly ios?: { bundle_id: string; team_id?: string | undefined }[] | undefined;
  readonly channels?: string[] | undefined;
}

export interface CreateApiKey {
  readonly type: 'CreateApiKey';
  readonly key: ApiKeyFacts;
}

export type ApiKeyCommand =
  | CreateApiKey
  | { readonly type: 'RotateApiKey'; readonly id: number; readonly secret: ApiKeySecret }
  | { readonly type: 'RestrictApiKey'; readonly id: number; readonly restrictions: Restrictions }
  | { readonly type: 'DeprecateApiKey'; readonly id: number }
  | { readonly type: 'RevokeApiKey'; readonly id: number }
  | { readonly type: 'DeleteApiKey'; readonly id: number }
  | { readonly type: 'CloseApiKeys'; readonly appId: number };

export type ApiKeyEvent =
  | { readonly type: 'ApiKeyCreated'; readonly data: ApiKeyFacts }
  | {
      readonly type: 'ApiKeyRotated';
      readonly data: ApiKeySecret & { readonly id: number; readonly formerSealId: string | null };
    }
  | { readonly type: 'ApiKeyRestricted'; readonly data: { readonly id: number; readonly restrictions: Restrictions } }
  | { readonly type: 'ApiKeyDeprecated'; readonly data: { readonly id: number } }
  | {
      readonly type: 'ApiKeyRevoked' | 'ApiKeyDeleted';
      /** `formerSealId`: of the plaintext that is of no use any more; early events lack it. */
      readonly data: { readonly id: number; readonly formerSealId?: string | null };
    }
  /** The app, or the channel, is being removed: its keys are deleted, and there will be none any more. */
  | { readonly type: 'ApiKeysClosed'; readonly data: { readonly appId: number } };

export type ApiKeyState = Omit<ApiKeyFacts, 'hash' | 'imported'> & {
  /** Of one whose text was given; see keyTextStream. */
  readonly importedHash?: string;
  readonly status: 'active' | 'deprecated' | 'revoked';
  readonly restrictions: Restrictions;
  /** ISO 8601; `rotatedAt` is null before the first rotation. */
  readonly createdAt: string;
  readonly rotatedAt: string | null;
};

/** By id; `closed` once the app is being removed. */
export type ApiKeys = ReadonlyMap<number, ApiKeyState> | 'closed';

export const MAX_ACTIVE_KEYS = 3;

/** What the ids of sealed API keys begin with; a ULID follows. */
export const API_KEY_SEALS = 'apiKey-';

/** Stream `apiKeys-{appId}`: the API keys of one app; `apiKeys-{appId}-{channelId}`: those that belong to a channel. */
export const apiKeysStream = (appId: number, channel?: Channel) =>
  channel === undefined ? `apiKeys-${appId}` : `apiKeys-${appId}-${channel}`;

export const apiKeys: Decider<ApiKeys, ApiKeyCommand, ApiKeyEvent> = {
  initialState: () => new Map(),

  decide: (command, keys) => {
    if (keys === 'closed') return refuseClosed(command);
    switch (command.type) {
      case 'CreateApiKey': {
        requireName(command.key.name);
        const active = [...keys.values()].filter((key) => key.status === 'active');
        if (active.length >= MAX_ACTIVE_KEYS) {
          const { channel } = command.key;
          const holder = channel === undefined ? 'app' : `channel ${channelName(channel)}`;
          throw new DomainError('MAX_KEYS_REACHED', `The ${holder} has ${MAX_ACTIVE_KEYS} active API keys already.`);
        }
        return [{ type: 'ApiKeyCreated', data: command.key }];
      }
      case 'RotateApiKey': {
        const { id, sealId } = usableKey(keys, command.id);
        return [{ type: 'ApiKeyRotated', data: { id, ...command.secret, formerSealId: sealId } }];
      }
      case 'RestrictApiKey': {
        const { id, restrictions: before } = existingKey(keys, command.id);
        const restrictions = withoutEmptyKinds(command.restrictions);
        return JSON.stringify(restrictions) === JSON.stringify(before)
          ? []
          : [{ type: 'ApiKeyRestricted', data: { id, restrictions } }];
      }
      case 'DeprecateApiKey': {
        const { id, status } = existingKey(keys, command.id);
        return status === 'active' ? [{ type: 'ApiKeyDeprecated', data: { id } }] : [];
      }
      case 'RevokeApiKey': {
        const { id, status, sealId } = existingKey(keys, command.id);
        return status === 'revoked' ? [] : [{ type: 'ApiKeyRevoked', data: { id, formerSealId: sealId } }];
      }
      case 'DeleteApiKey': {
        const { id, sealId } = existingKey(keys, command.id);
        return [{ type: 'ApiKeyDeleted', data: { id, formerSealId: sealId } }];
      }
      case 'CloseApiKeys': {
        const deletions = [...keys.values()].map(({ id, sealId }): ApiKeyEvent => ({
          type: 'ApiKeyDeleted',
          data: { id, formerSealId: sealId },
        }));
        return [...deletions, { type: 'ApiKeysClosed', data: { appId: command.appId } }];
      }
    }
  },

  evolve: (state, event, at) => {
    const keys = state === 'closed' ? new Map<number, ApiKeyState>() : state;
    const change = (id: number, changes: Partial<ApiKeyState>): ApiKeys => {
      const key = keys.get(id);
      return key === undefined ? keys : new Map(keys).set(id, { ...key, ...changes });
    };
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { id, appId, name, preview, sealId, channel, platform, imported, hash } = event.data;
        const facts = {
          ...{ id, appId, name, preview, sealId },
          ...(channel !== undefined && { channel }),
          ...(platform !== undefined && { platform }),
          ...(imported && { importedHash: hash }),
        };
        const key = { ...facts, restrictions: {}, createdAt: at, rotatedAt: null };
        return new Map(keys).set(id, { ...key, status: 'active' });
      }
      case 'ApiKeyRotated': {
        const { id, preview, sealId } = event.data;
        return change(id, { preview, sealId, rotatedAt: at });
      }
      case 'ApiKeyRestricted':
        return change(event.data.id, { restrictions: event.data.restrictions });
      case 'ApiKeyDeprecated':
        return change(event.data.id, { status: 'deprecated' });
      case 'ApiKeyRevoked':
        return change(event.data.id, { status: 'revoked', sealId: null });
      case 'ApiKeyDeleted': {
        const others = new Map(keys);
        others.delete(event.data.id);
        return others;
      }
      case 'ApiKeysClosed':
        return 'closed';
      default:
        return unknownEvent(event);
    }
  },
};

function refuseClosed(command: ApiKeyCommand): readonly ApiKeyEvent[] {
  if (command.type === 'CloseApiKeys') return [];
  throw appNotFound();
}

/** @throws DomainError KEY_NOT_FOUND; APP_NOT_FOUND once the app is being removed */
export function existingKey(keys: ApiKeys, id: number): ApiKeyState {
  if (keys === 'closed') throw appNotFound();
  const key = keys.get(id);
  if (key === undefined) throw apiKeyNotFound();
  return key;
}

export function apiKeyNotFound(): DomainError {
  return new DomainError('KEY_NOT_FOUND', 'There is no such API key.');
}

/** @throws as {@link existingKey}; DomainError KEY_REVOKED */
export function usableKey(keys: ApiKeys, id: number): ApiKeyState {
  const key = existingKey(keys, id);
  if (key.status === 'revoked') {
    throw new DomainError('KEY_REVOKED', 'The API key is revoked permanently. Create another key.');
  }
  return key;
}

/** An empty list restricts nothing. */
function withoutEmptyKinds({ origins = [], android = [], ios = [], channels = [] }: Restrictions): Restrictions {
  return {
    ...(origins.length > 0 && { origins }),
    ...(android.length > 0 && { android }),
    ...(ios.length > 0 && { ios }),
    ...(channels.length > 0 && { channels }),
  };
}
