import { UnknownEventError, type Decider } from '@sluice/kernel';

export interface OwnerFacts {
  readonly id: number;
  readonly name: string;
  /** SHA-256 of the owner key. */
  readonly hash: string;
}

export interface CreateOwner extends OwnerFacts {
  readonly type: 'CreateOwner';
}

export interface OwnerCreated {
  readonly type: 'OwnerCreated';
  readonly data: OwnerFacts;
}

export type Owner = OwnerFacts | undefined;

/** Stream `owner-{id}`: one owner. */
export const ownerStream = (id: number) => `owner-${id}`;

/** An owner that exists stays as it is, whoever creates it once more. */
export const owner: Decider<Owner, CreateOwner, OwnerCreated> = {
  initialState: () => undefined,

  decide: ({ id, name, hash }, state) =>
    state === undefined ? [{ type: 'OwnerCreated', data: { id, name, hash } }] : [],

  evolve: (_, event) => {
    const type: string = event.type;
    if (type !== 'OwnerCreated') throw new UnknownEventError(type);
    return event.data;
  },
};
