import { DomainError, unknownEvent, type Decider } from '@sluice/kernel';
import { appNotFound } from './app-not-found';

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
  | { readonly type: 'RotateSigningKey'; readonly key: NewSigningKey }
  | { readonly type: 'CloseSigningKey'; readonly appId: number };

export type SigningKeyEvent =
  | { readonly type: 'SigningKeyCreated'; readonly data: SigningKeyFacts }
  /** The former key is retired; its public half stays in the events. */
  | {
      readonly type: 'SigningKeyRotated';
      readonly data: SigningKeyFacts & { readonly formerId: number; readonly formerSealId: string };
    }
  /** The app is being removed: the key is retired, if there was one, and there will be none any more. */
  | {
      readonly type: 'SigningKeyClosed';
      readonly data: { readonly appId: number; readonly formerId: number | null; readonly formerSealId: string | null };
    };

/** The active key; null when there is none; `closed` once the app is being removed. */
export type SigningKeyState = SigningKeyFacts | 'closed' | null;

/** What the ids of sealed private keys begin with; a ULID follows. */
export const SIGNING_KEY_SEALS = 'signingKey-';

/** Stream `signingKey-{appId}`: at most one active signing key of one app. */
export const signingKeyStream = (appId: number) => `signingKey-${appId}`;

/** @throws DomainError SIGNING_KEY_EXISTS, and APP_NOT_FOUND once the app is being removed */
export function refuseSecond(active: SigningKeyState): void {
  if (active === 'closed') throw appNotFound();
  if (active === null) return;
  throw new DomainError('SIGNING_KEY_EXISTS', 'The app has a signing key already. Rotate it instead.');
}

/** @throws DomainError NO_ACTIVE_SIGNING_KEY, and APP_NOT_FOUND once the app is being removed */
export function activeSigningKey(active: SigningKeyState): SigningKeyFacts {
  if (active === 'closed') throw appNotFound();
  if (active !== null) return active;
  throw new DomainError('NO_ACTIVE_SIGNING_KEY', 'The app has no signing key. Create one first.');
}

export const signingKey: Decider<SigningKeyState, SigningKeyCommand, SigningKeyEvent> = {
  initialState: () => null,

  decide: (command, active) => {
    if (active === 'closed') {
      if (command.type === 'CloseSigningKey') return [];
      throw appNotFound();
    }
    switch (command.type) {
      case 'CreateSigningKey': {
        const { key } = command;
        refuseSecond(active);
        const { name = 'default', scheme = 'pkcs1v15' } = key;
        return [{ type: 'SigningKeyCreated', data: { ...key, name, scheme } }];
      }
      case 'RotateSigningKey': {
        const { key } = command;
        const former = activeSigningKey(active);
        const { id: formerId, sealId: formerSealId } = former;
        const { name = former.name, scheme = former.scheme } = key;
        return [{ type: 'SigningKeyRotated', data: { ...key, name, scheme, formerId, formerSealId } }];
      }
      case 'CloseSigningKey': {
        const { id: formerId, sealId: formerSealId } = active ?? { id: null, sealId: null };
        return [{ type: 'SigningKeyClosed', data: { appId: command.appId, formerId, formerSealId } }];
      }
    }
  },

  evolve: (_active, event) => {
    switch (event.type) {
      case 'SigningKeyCreated':
      case 'SigningKeyRotated': {
        const { id, appId, name, scheme, publicKey, fingerprint, sealId } = event.data;
        return { id, appId, name, scheme, publicKey, fingerprint, sealId };
      }
      case 'SigningKeyClosed':
        return 'closed';
      default:
        return unknownEvent(event);
    }
  },
};
