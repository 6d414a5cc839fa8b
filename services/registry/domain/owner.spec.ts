import { evolveAll } from '@sluice/kernel';
import { owner } from './owner';

const create = { type: 'CreateOwner', id: 1, name: 'operator', hash: 'a'.repeat(64) } as const;

it('given no owner, creates one', () => {
  expect(owner.decide(create, owner.initialState())).toEqual([
    { type: 'OwnerCreated', data: { id: 1, name: 'operator', hash: create.hash } },
  ]);
});

it('given the owner, leaves it as it is, with its key', () => {
  const state = evolveAll(owner, owner.initialState(), owner.decide(create, owner.initialState()));
  expect(owner.decide({ ...create, hash: 'b'.repeat(64) }, state)).toEqual([]);
});
