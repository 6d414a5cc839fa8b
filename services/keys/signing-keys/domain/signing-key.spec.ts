import { UnknownEventError } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import {
  MAX_FORMER_KEYS,
  refuseSecond,
  rotatable,
  SIGNING_KEY_SEALS,
  signingKey,
  trustedKeys,
  type SigningKeyCommand,
  type SigningKeyEvent,
  type SigningKeyFacts,
  signingKeyStream,
} from './signing-key';

const key = (id: number, more: Partial<SigningKeyFacts> = {}): SigningKeyFacts => ({
  ...{ id, appId: 9, name: 'default', scheme: 'pkcs1v15', publicKey: 'PEM' },
  ...{ fingerprint: `f${id}`, sealId: `signingKey-${id}`, ...more },
});
const create: SigningKeyCommand = { type: 'CreateSigningKey', key: key(1) };
const rotate = (id: number, expectedFingerprint?: string): SigningKeyCommand => ({
  type: 'RotateSigningKey',
  key: key(id),
  expectedFingerprint,
});
const retire = (id: number): SigningKeyCommand => ({ type: 'RetireSigningKey', appId: 9, id });
const close: SigningKeyCommand = { type: 'CloseSigningKey', appId: 9 };

const created: SigningKeyEvent = { type: 'SigningKeyCreated', data: key(1) };
const rolledOver = (id: number): SigningKeyEvent => ({
  type: 'SigningKeyRolledOver',
  data: { ...key(id), formerId: id - 1 },
});
const retired = (id: number): SigningKeyEvent => ({
  type: 'FormerSigningKeyRetired',
  data: { appId: 9, id, sealId: `signingKey-${id}` },
});
/** As earlier releases wrote it. */
const rotatedWithoutOverlap = (id: number): SigningKeyEvent => ({
  type: 'SigningKeyRotated',
  data: { ...key(id), formerId: id - 1, formerSealId: `signingKey-${id - 1}` },
});
const closed = (formerId: number | null, sealIds: readonly string[]): SigningKeyEvent => ({
  type: 'SigningKeyClosed',
  data: { appId: 9, formerId, formerSealId: formerId === null ? null : `signingKey-${formerId}`, sealIds },
});

const { given } = specify(signingKey);
const trustedAfter = (...events: SigningKeyEvent[]) => trustedKeys(given(...events).state).map(({ id }) => id);

const message = (part: string) => expect.stringContaining(part) as string;

describe('creating a signing key', () => {
  it('takes the name and the scheme that are given, else default and pkcs1v15', () => {
    given().when(create).then(created);
    given()
      .when({ type: 'CreateSigningKey', key: { ...key(1), name: undefined, scheme: undefined } })
      .then(created);
    const other = key(1, { name: 'release', scheme: 'pss' });
    given().when({ type: 'CreateSigningKey', key: other }).then({ type: 'SigningKeyCreated', data: other });
  });

  it('rejects a second one', () => given(created).when(create).rejects('SIGNING_KEY_EXISTS'));
});

describe('rotating a signing key', () => {
  it('makes a new active key and keeps the former one, oldest first', () => {
    given(created).when(rotate(2)).then(rolledOver(2));
    expect(trustedAfter(created, rolledOver(2), rolledOver(3))).toEqual([1, 2, 3]);
  });

  it('rejects a rotation without a key', () => given().when(rotate(2)).rejects('NO_ACTIVE_SIGNING_KEY'));

  it('rejects another fingerprint than that of the active key', () => {
    given(created).when(rotate(2, 'f1')).then(rolledOver(2));
    const details = { fingerprint: 'f2' };
    for (const fingerprint of ['f1', 'f2']) {
      given(created, rolledOver(2))
        .when(rotate(3, 'f1'))
        .rejects({ code: 'FINGERPRINT_MISMATCH', details, message: message(fingerprint) });
    }
  });

  it('rejects a rotation while too many former keys sign, and takes it once one is retired', () => {
    const full = [created, ...Array.from({ length: MAX_FORMER_KEYS }, (_, index) => rolledOver(index + 2))];
    given(...full)
      .when(rotate(9))
      .rejects({
        code: 'TOO_MANY_FORMER_SIGNING_KEYS',
        details: { former_keys: [1, 2, 3] },
        message: message('1, 2, 3'),
      });
    given(...full, retired(2))
      .when(rotate(9))
      .then({ type: 'SigningKeyRolledOver', data: { ...key(9), formerId: MAX_FORMER_KEYS + 1 } });
  });

  it('reads a rotation of an earlier release as the end of the former key', () => {
    expect(trustedAfter(created, rotatedWithoutOverlap(2))).toEqual([2]);
    expect(trustedAfter(created, rolledOver(2), rotatedWithoutOverlap(3))).toEqual([1, 3]);
  });
});

describe('retiring a signing key', () => {
  it('ends a former key, in any order', () => {
    given(created, rolledOver(2), rolledOver(3)).when(retire(2)).then(retired(2));
    expect(trustedAfter(created, rolledOver(2), rolledOver(3), retired(2))).toEqual([1, 3]);
  });

  it('changes nothing for a key that is retired already, by this release or an earlier one', () => {
    given(created, rolledOver(2), retired(1)).when(retire(1)).then();
    given(created, rotatedWithoutOverlap(2)).when(retire(1)).then();
  });

  it('rejects the active key', () =>
    given(created, rolledOver(2))
      .when(retire(2))
      .rejects({ code: 'SIGNING_KEY_ACTIVE', message: message('2') }));

  it('rejects a key that the app never had', () => {
    given(created)
      .when(retire(7))
      .rejects({ code: 'KEY_NOT_FOUND', message: message('7') });
    given(created, rolledOver(2), retired(1)).when(retire(7)).rejects('KEY_NOT_FOUND');
    given().when(retire(1)).rejects('KEY_NOT_FOUND');
  });
});

describe('closing the signing keys of an app that is being removed', () => {
  it('gives up the private half of every key that could sign', () => {
    given(created)
      .when(close)
      .then(closed(1, ['signingKey-1']));
    given(created, rolledOver(2), rolledOver(3), retired(1))
      .when(close)
      .then(closed(3, ['signingKey-2', 'signingKey-3']));
  });

  it('given no key, closes all the same, and once', () => {
    given().when(close).then(closed(null, []));
    given(closed(null, [])).when(close).then();
  });

  it('leaves nothing to create or to rotate, whatever events follow', () => {
    const { state } = given(created, closed(1, ['signingKey-1']), rolledOver(2));
    const notFound = expect.objectContaining({ code: 'APP_NOT_FOUND' }) as Error;
    expect(() => refuseSecond(state)).toThrow(notFound);
    expect(() => rotatable(state)).toThrow(notFound);
  });

  it.each([create, rotate(2), retire(1)])('rejects $type from then on as APP_NOT_FOUND', (command) => {
    given(created, closed(1, ['signingKey-1']))
      .when(command)
      .rejects('APP_NOT_FOUND');
    expect(trustedAfter(created, closed(1, ['signingKey-1']))).toEqual([]);
  });
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'SigningKeyPainted', data: {} } as unknown as SigningKeyEvent;
  expect(() => given(unknown)).toThrow(UnknownEventError);
});

it('rejects a name that is blank', () => {
  given()
    .when({ type: 'CreateSigningKey', key: key(1, { name: ' ' }) })
    .rejects({ errors: { name: ['The name must not be empty.'] } });
  given(created)
    .when({ type: 'RotateSigningKey', key: key(2, { name: ' ' }) })
    .rejects({ errors: { name: ['The name must not be empty.'] } });
});

it('remembers when each key was made, superseded and retired', () => {
  const { state } = given(created, rotatedWithoutOverlap(2), rolledOver(3), rolledOver(4), retired(2));
  expect(state).toMatchObject({
    active: { id: 4, createdAt: eventTime(3), supersededAt: null, retiredAt: null },
    former: [{ id: 3, createdAt: eventTime(2), supersededAt: eventTime(3), retiredAt: null }],
    retired: [
      { id: 1, createdAt: eventTime(0), supersededAt: eventTime(1), retiredAt: eventTime(1) },
      { id: 2, createdAt: eventTime(1), supersededAt: eventTime(2), retiredAt: eventTime(4) },
    ],
  });
});

it('keeps its events in the stream signingKey-7', () => {
  expect(signingKeyStream(7)).toBe('signingKey-7');
});

it('trusts no key before the first', () => {
  expect(trustedKeys(given().state)).toEqual([]);
});

it('names sealed private keys signingKey-', () => {
  expect(SIGNING_KEY_SEALS).toBe('signingKey-');
});
