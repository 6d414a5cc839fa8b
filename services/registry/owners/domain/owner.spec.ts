import { UnknownEventError } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import {
  type CreateOwner,
  owner,
  OWNER_SEQUENCE,
  type OwnerCommand,
  type OwnerEvent,
  type RotateOwnerKey,
  ownerStream,
} from './owner';

const key = (letter: string, sealId: string | null = null) => ({ hash: letter.repeat(64), sealId });
const create: CreateOwner = { type: 'CreateOwner', id: 1, name: 'operator', key: key('a', 'shown-1') };
const rotate: RotateOwnerKey = { type: 'RotateOwnerKey', key: key('b') };

const { after, evolve } = specify(owner);

it('creates an owner once, whatever key the second creation brings', () => {
  after()
    .when(create)
    .then({ type: 'OwnerCreated', data: { id: 1, name: 'operator', ...create.key } });
  after(create)
    .when({ ...create, key: key('c') })
    .then();
});

it('rotates the key of an owner, and names the seal of the former', () => {
  after(create)
    .when(rotate)
    .then({ type: 'OwnerKeyRotated', data: { id: 1, ...rotate.key, formerSealId: 'shown-1' } });
  expect(after(create, rotate).state).toEqual({
    ...{ id: 1, name: 'operator', createdAt: eventTime(0), keyRotatedAt: eventTime(1) },
    ...{ formerHashes: [create.key.hash], suspension: null, ...rotate.key },
  });
});

it('takes a key from outside that it never had, and neither its present nor a former one', () => {
  const recover = (letter: string) => ({ type: 'RecoverOwnerKey', hash: letter.repeat(64) }) as const;
  after(create)
    .when(recover('c'))
    .then({ type: 'OwnerKeyRotated', data: { id: 1, hash: 'c'.repeat(64), sealId: null, formerSealId: 'shown-1' } });
  for (const letter of ['a', 'b', 'c']) {
    after(create, rotate, recover('c')).when(recover(letter)).then();
  }
});

describe('a suspension', () => {
  const other: CreateOwner = { ...create, id: 2, name: 'tenant' };
  const suspend = { type: 'SuspendOwner', reason: 'unpaid', stopDevices: false } as const;
  const resume = { type: 'ResumeOwner' } as const;

  it('is recorded once, with its reason', () => {
    after(other)
      .when(suspend)
      .then({ type: 'OwnerSuspended', data: { id: 2, reason: 'unpaid', stopDevices: false } });
    after(other, suspend).when(suspend).then();
    expect(after(other, suspend).when({ ...suspend, stopDevices: true }).events).toHaveLength(1);
  });

  it('ends, and may begin again', () => {
    after(other).when(resume).then();
    after(other, suspend)
      .when(resume)
      .then({ type: 'OwnerResumed', data: { id: 2 } });
    expect(after(other, suspend, resume).when(suspend).events).toHaveLength(1);
    expect(after(other, suspend, resume).state).toEqual(after(other).state);
  });

  it('is rejected for the operator and for an owner that does not exist', () => {
    after(create).when(suspend).rejects('OPERATOR_NOT_SUSPENDABLE');
    after().when(suspend).rejects('OWNER_NOT_FOUND');
    after().when(resume).rejects('OWNER_NOT_FOUND');
  });
});

it('rejects OWNER_NOT_FOUND where there is none', () => {
  after().when(rotate).rejects('OWNER_NOT_FOUND');
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'OwnerPainted', data: {} } as unknown as OwnerEvent;
  expect(() => evolve(after(create).state, [unknown])).toThrow(UnknownEventError);
});

it('rejects a name that is blank', () => {
  after()
    .when({ ...create, name: ' ' })
    .rejects({ errors: { name: ['The name must not be empty.'] } });
});

it('remembers when the owner was created, its key last rotated, and since when it is suspended', () => {
  const suspend: OwnerCommand = { type: 'SuspendOwner', reason: 'unpaid', stopDevices: false };
  const { state } = after({ ...create, id: 2 }, rotate, suspend);
  expect(state).toMatchObject({
    createdAt: eventTime(0),
    keyRotatedAt: eventTime(1),
    suspension: { at: eventTime(2) },
  });
});

it('keeps its events in the stream owner-2', () => {
  expect(ownerStream(2)).toBe('owner-2');
});

it('takes ids from the sequence owners', () => {
  expect(OWNER_SEQUENCE).toBe('owners');
});
