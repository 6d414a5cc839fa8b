import { DomainError, requireName, unknownEvent, type Decider } from '@sluice/kernel';
import { appNotFound } from '../../domain/app-not-found';

export type SignatureScheme = 'pkcs1v15' | 'pss';

/** A key pair; its private half is in the vault. */
export interface SigningKeyFacts {
  readonly id: number;
  readonly appId: number;
  readonly name: string;
  readonly scheme: SignatureScheme;
  /** PEM of the SubjectPublicKeyInfo. */
  readonly publicKey: string;
  /** Lower-case hex SHA-256 of the SubjectPublicKeyInfo's DER. */
  readonly fingerprint: string;
  readonly sealId: string;
}

/** What a rotation leaves out stays as it is. */
export type NewSigningKey = Omit<SigningKeyFacts, 'name' | 'scheme'> & {
  readonly name?: string | undefined;
  readonly scheme?: SignatureScheme | undefined;
};

export type SigningKeyCommand =
  | { readonly type: 'CreateSigningKey'; readonly key: NewSigningKey }
  | {
      readonly type: 'RotateSigningKey';
      readonly key: NewSigningKey;
      readonly expectedFingerprint?: string | undefined;
    }
  | { readonly type: 'RetireSigningKey'; readonly appId: number; readonly id: number }
  | { readonly type: 'CloseSigningKey'; readonly appId: number };

export type SigningKeyEvent =
  | { readonly type: 'SigningKeyCreated'; readonly data: SigningKeyFacts }
  /** Of earlier releases: the former active key was retired in the same moment. */
  | {
      readonly type: 'SigningKeyRotated';
      readonly data: SigningKeyFacts & { readonly formerId: number; readonly formerSealId: string };
    }
  /** A new active key; the one before it, `formerId`, goes on signing until it is retired. */
  | { readonly type: 'SigningKeyRolledOver'; readonly data: SigningKeyFacts & { readonly formerId: number } }
  /** A former key signs nothing any more; its public half stays in the events. */
  | {
      readonly type: 'FormerSigningKeyRetired';
      readonly data: { readonly appId: number; readonly id: number; readonly sealId: string };
    }
  /** The app is being removed: every key is retired, if there was one, and there will be none any more. */
  | {
      readonly type: 'SigningKeyClosed';
      readonly data: {
        readonly appId: number;
        /** Of the active key. */
        readonly formerId: number | null;
        readonly formerSealId: string | null;
        /** Of every key that could sign. Earlier releases had the active one alone, and wrote no list. */
        readonly sealIds?: readonly string[];
      };
    };

/** Times are ISO 8601. */
export interface SigningKey extends SigningKeyFacts {
  readonly createdAt: string;
  /** Null while it is the active one. */
  readonly supersededAt: string | null;
  /** Null while it signs. */
  readonly retiredAt: string | null;
}

export interface SigningKeyRing {
  readonly active: SigningKey;
  /** Former keys that still sign, oldest first. */
  readonly former: readonly SigningKey[];
  /** Keys that sign nothing any more. */
  readonly retired: readonly SigningKey[];
}

/** Null before the first key; `closed` once the app is being removed. */
export type SigningKeyState = SigningKeyRing | 'closed' | null;

/** What the ids of sealed private keys begin with; a ULID follows. */
export const SIGNING_KEY_SEALS = 'signingKey-';

/** Each signature of a build is one more for every key: an app that never retires any must not slow the rest. */
export const MAX_FORMER_KEYS = 3;

/** Stream `signingKey-{appId}`: the keys that sign for one app, one of them active. */
export const signingKeyStream = (appId: number) => `signingKey-${appId}`;

/** The keys that sign, oldest first: former ones, then the active one. */
export function trustedKeys(state: SigningKeyState): readonly SigningKey[] {
  return state === null || state === 'closed' ? [] : [...state.former, state.active];
}

/** @throws DomainError SIGNING_KEY_EXISTS, and APP_NOT_FOUND once the app is being removed */
export function refuseSecond(state: SigningKeyState): void {
  if (state === 'closed') throw appNotFound();
  if (state === null) return;
  throw new DomainError('SIGNING_KEY_EXISTS', 'The app has a signing key already. Rotate it instead.');
}

/**
 * The keys that a rotation begins from.
 * @throws DomainError NO_ACTIVE_SIGNING_KEY, FINGERPRINT_MISMATCH or TOO_MANY_FORMER_SIGNING_KEYS; APP_NOT_FOUND once
 *   the app is being removed
 */
export function rotatable(state: SigningKeyState, expectedFingerprint?: string): SigningKeyRing {
  if (state === 'closed') throw appNotFound();
  if (state === null) throw new DomainError('NO_ACTIVE_SIGNING_KEY', 'The app has no signing key. Create one first.');
  const { active, former } = state;
  if (expectedFingerprint !== undefined && expectedFingerprint !== active.fingerprint) {
    throw new DomainError(
      'FINGERPRINT_MISMATCH',
      `The active signing key has the fingerprint ${active.fingerprint}, not ${expectedFingerprint}. Nothing was changed.`,
      { fingerprint: active.fingerprint },
    );
  }
  if (former.length >= MAX_FORMER_KEYS) {
    const ids = former.map(({ id }) => id);
    throw new DomainError(
      'TOO_MANY_FORMER_SIGNING_KEYS',
      `The app has ${former.length} former signing keys that still sign: ${ids.join(', ')}. Retire one first.`,
      { former_keys: ids },
    );
  }
  return state;
}

export const signingKey: Decider<SigningKeyState, SigningKeyCommand, SigningKeyEvent> = {
  initialState: () => null,

  decide: (command, state) => {
    if (state === 'closed') {
      if (command.type === 'CloseSigningKey') return [];
      throw appNotFound();
    }
    switch (command.type) {
      case 'CreateSigningKey': {
        const { key } = command;
        refuseSecond(state);
        requireName(key.name);
        const { name = 'default', scheme = 'pkcs1v15' } = key;
        return [{ type: 'SigningKeyCreated', data: { ...key, name, scheme } }];
      }
      case 'RotateSigningKey': {
        const { key, expectedFingerprint } = command;
        const { active } = rotatable(state, expectedFingerprint);
        requireName(key.name);
        const { name = active.name, scheme = active.scheme } = key;
        return [{ type: 'SigningKeyRolledOver', data: { ...key, name, scheme, formerId: active.id } }];
      }
      case 'RetireSigningKey':
        return retire(command.id, state);
      case 'CloseSigningKey': {
        const { id: formerId, sealId: formerSealId } = state?.active ?? { id: null, sealId: null };
        const sealIds = trustedKeys(state).map(({ sealId }) => sealId);
        return [{ type: 'SigningKeyClosed', data: { appId: command.appId, formerId, formerSealId, sealIds } }];
      }
    }
  },

  evolve: (state, event, at) => {
    if (state === 'closed') return state;
    const { former = [], retired = [] } = state ?? {};
    switch (event.type) {
      case 'SigningKeyCreated':
        return { active: newKey(event.data, at), former, retired };
      case 'SigningKeyRotated':
        return { active: newKey(event.data, at), former, retired: [...retired, ...replaced(state, at, at)] };
      case 'SigningKeyRolledOver':
        return { active: newKey(event.data, at), former: [...former, ...replaced(state, at, null)], retired };
      case 'FormerSigningKeyRetired': {
        const { id } = event.data;
        const gone = former.filter((key) => key.id === id).map((key) => ({ ...key, retiredAt: at }));
        return state && { ...state, former: former.filter((key) => key.id !== id), retired: [...retired, ...gone] };
      }
      case 'SigningKeyClosed':
        return 'closed';
      default:
        return unknownEvent(event);
    }
  },
};

function retire(id: number, state: SigningKeyRing | null): readonly SigningKeyEvent[] {
  if (state?.active.id === id) {
    throw new DomainError(
      'SIGNING_KEY_ACTIVE',
      `The signing key ${id} is the active one, with which new builds are signed. Rotate it first, then retire it.`,
    );
  }
  if (state?.retired.some((key) => key.id === id) === true) return [];
  const key = state?.former.find((former) => former.id === id);
  if (key === undefined) throw signingKeyNotFound(id);
  return [{ type: 'FormerSigningKeyRetired', data: { appId: key.appId, id, sealId: key.sealId } }];
}

export function signingKeyNotFound(id: number): DomainError {
  return new DomainError('KEY_NOT_FOUND', `The app has no signing key ${id}.`);
}

function newKey(facts: SigningKeyFacts, createdAt: string): SigningKey {
  const { id, appId, name, scheme, publicKey, fingerprint, sealId } = facts;
  return { id, appId, name, scheme, publicKey, fingerprint, sealId, createdAt, supersededAt: null, retiredAt: null };
}

/** The active key as its successor leaves it; none before the first. */
function replaced(state: SigningKeyRing | null, supersededAt: string, retiredAt: string | null): readonly SigningKey[] {
  return state === null ? [] : [{ ...state.active, supersededAt, retiredAt }];
}
