import { DomainError, requireName, unknownEvent, type Decider } from '@sluice/kernel';

/** A fresh key, without the key itself. */
export interface OwnerKey {
  /** SHA-256 of the owner key. */
  readonly hash: string;
  /** Id of the sealed key in the vault, where it is kept for a repeat of the command; else null. */
  readonly sealId: string | null;
}

export interface OwnerFacts {
  readonly id: number;
  readonly name: string;
}

export interface CreateOwner extends OwnerFacts {
  readonly type: 'CreateOwner';
  readonly key: OwnerKey;
}

export interface RotateOwnerKey {
  readonly type: 'RotateOwnerKey';
  readonly key: OwnerKey;
}

/** Of a key from outside, which counts only when the owner never had it. */
export interface RecoverOwnerKey {
  readonly type: 'RecoverOwnerKey';
  readonly hash: string;
}

/** Stops the owner's key, sessions and tokens, and with `stopDevices` the devices of its apps. */
export interface SuspendOwner {
  readonly type: 'SuspendOwner';
  readonly reason: string;
  readonly stopDevices: boolean;
}

export interface ResumeOwner {
  readonly type: 'ResumeOwner';
}

export type OwnerCommand = CreateOwner | RotateOwnerKey | RecoverOwnerKey | SuspendOwner | ResumeOwner;

/** `formerSealId`: of a key that is of no use any more. */
export type OwnerEvent =
  | {
      readonly type: 'OwnerCreated';
      readonly data: OwnerFacts & { readonly hash: string; readonly sealId?: string | null };
    }
  | {
      readonly type: 'OwnerKeyRotated';
      readonly data: OwnerKey & { readonly id: number; readonly formerSealId: string | null };
    }
  | { readonly type: 'OwnerSuspended'; readonly data: Suspension & { readonly id: number } }
  | { readonly type: 'OwnerResumed'; readonly data: { readonly id: number } };

export interface Suspension {
  readonly reason: string;
  readonly stopDevices: boolean;
}

/** Times are ISO 8601. */
export interface ExistingOwner extends OwnerFacts, OwnerKey {
  readonly createdAt: string;
  /** Null before the first rotation. */
  readonly keyRotatedAt: string | null;
  /** Of the keys that it had before. */
  readonly formerHashes: readonly string[];
  /** Null while it is not suspended. */
  readonly suspension: (Suspension & { readonly at: string }) | null;
}

export type Owner = ExistingOwner | undefined;

/** The operator of the installation. */
const FIRST_OWNER = 1;

/** Stream `owner-{id}`: one owner. */
export const ownerStream = (id: number) => `owner-${id}`;

/** The sequence that ids of owners come from, counted behind the operator's. */
export const OWNER_SEQUENCE = 'owners';

/** @throws DomainError OWNER_NOT_FOUND */
export function existingOwner(state: Owner): ExistingOwner {
  if (state === undefined) throw new DomainError('OWNER_NOT_FOUND', 'There is no such owner.');
  return state;
}

/** Creating an owner that exists changes nothing. */
export const owner: Decider<Owner, OwnerCommand, OwnerEvent> = {
  initialState: () => undefined,

  decide: (command, state) => {
    switch (command.type) {
      case 'CreateOwner': {
        const { id, name, key } = command;
        requireName(name);
        return state === undefined ? [{ type: 'OwnerCreated', data: { id, name, ...key } }] : [];
      }
      case 'RotateOwnerKey': {
        const { id, sealId: formerSealId } = existingOwner(state);
        return [{ type: 'OwnerKeyRotated', data: { id, ...command.key, formerSealId } }];
      }
      case 'RecoverOwnerKey': {
        const { id, hash: present, formerHashes, sealId: formerSealId } = existingOwner(state);
        const { hash } = command;
        if (hash === present || formerHashes.includes(hash)) return [];
        return [{ type: 'OwnerKeyRotated', data: { id, hash, sealId: null, formerSealId } }];
      }
      case 'SuspendOwner': {
        const { id, suspension } = existingOwner(state);
        if (id === FIRST_OWNER) {
          throw new DomainError('OPERATOR_NOT_SUSPENDABLE', 'The operator cannot be suspended. Name another owner.');
        }
        const { reason, stopDevices } = command;
        const same = suspension?.reason === reason && suspension.stopDevices === stopDevices;
        return same ? [] : [{ type: 'OwnerSuspended', data: { id, reason, stopDevices } }];
      }
      case 'ResumeOwner': {
        const { id, suspension } = existingOwner(state);
        return suspension === null ? [] : [{ type: 'OwnerResumed', data: { id } }];
      }
    }
  },

  evolve: (state, event, at) => {
    switch (event.type) {
      case 'OwnerCreated': {
        const { id, name, hash, sealId = null } = event.data;
        return { id, name, hash, sealId, createdAt: at, keyRotatedAt: null, formerHashes: [], suspension: null };
      }
      case 'OwnerKeyRotated': {
        const { hash, sealId } = event.data;
        return state && { ...state, hash, sealId, keyRotatedAt: at, formerHashes: [...state.formerHashes, state.hash] };
      }
      case 'OwnerSuspended': {
        const { reason, stopDevices } = event.data;
        return state && { ...state, suspension: { reason, stopDevices, at } };
      }
      case 'OwnerResumed':
        return state && { ...state, suspension: null };
      default:
        return unknownEvent(event);
    }
  },
};
