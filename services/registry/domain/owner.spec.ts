import { evolveAll, UnknownEventError } from '@sluice/kernel';
import { type CreateOwner, owner, type OwnerCommand, type OwnerEvent, type RotateOwnerKey } from './owner';

const key = (letter: string, sealId: string | null = null) => ({ hash: letter.repeat(64), sealId });
const create: CreateOwner = { type: 'CreateOwner', id: 1, name: 'operator', key: key('a', 'shown-1') };
const rotate: RotateOwnerKey = { type: 'RotateOwnerKey', key: key('b') };

const after = (...commands: OwnerCommand[]) =>
  commands.reduce((state, command) => evolveAll(owner, state, owner.decide(command, state)), owner.initialState());

it('creates an owner once, whatever key the second creation brings', () => {
  expect(owner.decide(create, after())).toEqual<OwnerEvent[]>([
    { type: 'OwnerCreated', data: { id: 1, name: 'operator', ...create.key } },
  ]);
  expect(owner.decide({ ...create, key: key('c') }, after(create))).toEqual([]);
});

it('rotates the key of an owner, and names the seal of the former', () => {
  expect(owner.decide(rotate, after(create))).toEqual<OwnerEvent[]>([
    { type: 'OwnerKeyRotated', data: { id: 1, ...rotate.key, formerSealId: 'shown-1' } },
  ]);
  expect(after(create, rotate)).toEqual({
    ...{ id: 1, name: 'operator', formerHashes: [create.key.hash], suspension: null },
    ...rotate.key,
  });
});

it('takes a key from outside that it never had, and neither its present nor a former one', () => {
  const recover = (letter: string) => ({ type: 'RecoverOwnerKey', hash: letter.repeat(64) }) as const;
  expect(owner.decide(recover('c'), after(create))).toEqual<OwnerEvent[]>([
    { type: 'OwnerKeyRotated', data: { id: 1, hash: 'c'.repeat(64), sealId: null, formerSealId: 'shown-1' } },
  ]);
  for (const letter of ['a', 'b', 'c']) {
    expect(owner.decide(recover(letter), after(create, rotate, recover('c')))).toEqual([]);
  }
});

describe('a suspension', () => {
  const other: CreateOwner = { ...create, id: 2, name: 'tenant' };
  const suspend = { type: 'SuspendOwner', reason: 'unpaid', stopDevices: false } as const;
  const resume = { type: 'ResumeOwner' } as const;

  it('is recorded once, with its reason', () => {
    expect(owner.decide(suspend, after(other))).toEqual<OwnerEvent[]>([
      { type: 'OwnerSuspended', data: { id: 2, reason: 'unpaid', stopDevices: false } },
    ]);
    expect(owner.decide(suspend, after(other, suspend))).toEqual([]);
    expect(owner.decide({ ...suspend, stopDevices: true }, after(other, suspend))).toHaveLength(1);
  });

  it('ends, and may begin again', () => {
    expect(owner.decide(resume, after(other))).toEqual([]);
    expect(owner.decide(resume, after(other, suspend))).toEqual<OwnerEvent[]>([
      { type: 'OwnerResumed', data: { id: 2 } },
    ]);
    expect(owner.decide(suspend, after(other, suspend, resume))).toHaveLength(1);
  });

  it('is rejected for the operator and for an owner that does not exist', () => {
    const code = (name: string) => expect.objectContaining({ code: name }) as Error;
    expect(() => owner.decide(suspend, after(create))).toThrow(code('OPERATOR_NOT_SUSPENDABLE'));
    expect(() => owner.decide(suspend, after())).toThrow(code('OWNER_NOT_FOUND'));
    expect(() => owner.decide(resume, after())).toThrow(code('OWNER_NOT_FOUND'));
  });
});

it('refuses OWNER_NOT_FOUND where there is none', () => {
  expect(() => owner.decide(rotate, after())).toThrow(expect.objectContaining({ code: 'OWNER_NOT_FOUND' }) as Error);
});

it('stops at an event of a newer release', () => {
  expect(() => owner.evolve(after(create), { type: 'OwnerPainted', data: {} } as unknown as OwnerEvent)).toThrow(
    UnknownEventError,
  );
});
