import {
  type Channel,
  channelName,
  DomainError,
  type ExpectsRevision,
  requireName,
  requireRevision,
  unknownEvent,
  type Decider,
} from '@sluice/kernel';
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

type ApiKeyChange = { readonly id: number } & ExpectsRevision;

export type ApiKeyCommand =
  | CreateApiKey
  | ({ readonly type: 'RotateApiKey'; readonly secret: ApiKeySecret } & ApiKeyChange)
  | ({ readonly type: 'RestrictApiKey'; readonly restrictions: Restrictions } & ApiKeyChange)
  | ({ readonly type: 'DeprecateApiKey' } & ApiKeyChange)
  | ({ readonly type: 'RevokeApiKey' } & ApiKeyChange)
  | ({ readonly type: 'DeleteApiKey' } & ApiKeyChange)
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
  /** 1 when it appears, and 1 more with each event that changes it. */
  readonly revision: number;
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
        const { id, sealId } = requireUsable(expectedKey(keys, command));
        return [{ type: 'ApiKeyRotated', data: { id, ...command.secret, formerSealId: sealId } }];
      }
      case 'RestrictApiKey': {
        const { id, restrictions: before } = expectedKey(keys, command);
        const restrictions = withoutEmptyKinds(command.restrictions);
        return JSON.stringify(restrictions) === JSON.stringify(before)
          ? []
          : [{ type: 'ApiKeyRestricted', data: { id, restrictions } }];
      }
      case 'DeprecateApiKey': {
        const { id, status } = expectedKey(keys, command);
        return status === 'active' ? [{ type: 'ApiKeyDeprecated', data: { id } }] : [];
      }
      case 'RevokeApiKey': {
        const { id, status, sealId } = expectedKey(keys, command);
        return status === 'revoked' ? [] : [{ type: 'ApiKeyRevoked', data: { id, formerSealId: sealId } }];
      }
      case 'DeleteApiKey': {
        const { id, sealId } = expectedKey(keys, command);
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
      return key === undefined ? keys : new Map(keys).set(id, { ...key, ...changes, revision: key.revision + 1 });
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
        const key = { ...facts, revision: 1, restrictions: {}, createdAt: at, rotatedAt: null };
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

/** @throws as {@link existingKey}; DomainError KEY_CHANGED when it has another revision than the command expects */
function expectedKey(keys: ApiKeys, command: ApiKeyChange): ApiKeyState {
  const key = existingKey(keys, command.id);
  requireRevision('KEY_CHANGED', `API key ${command.id}`, key.revision, command);
  return key;
}

export function apiKeyNotFound(): DomainError {
  return new DomainError('KEY_NOT_FOUND', 'There is no such API key.');
}

/** @throws as {@link existingKey}; DomainError KEY_REVOKED */
export function usableKey(keys: ApiKeys, id: number): ApiKeyState {
  return requireUsable(existingKey(keys, id));
}

function requireUsable(key: ApiKeyState): ApiKeyState {
  if (key.status !== 'revoked') return key;
  throw new DomainError('KEY_REVOKED', 'The API key is revoked permanently. Create another key.');
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
