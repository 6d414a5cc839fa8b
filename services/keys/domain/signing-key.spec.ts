import { evolveAll, UnknownEventError } from '@sluice/kernel';
import { signingKey, type SigningKeyCommand, type SigningKeyEvent, type SigningKeyFacts } from './signing-key';

const key: SigningKeyFacts = {
  ...{
    id: 1,
    appId: 9,
    name: 'default',
    scheme: 'pkcs1v15',
    publicKey: 'PEM',
    fingerprint: 'f',
    sealId: 'signingKey-1',
  },
};
const create: SigningKeyCommand = { type: 'CreateSigningKey', key };
const rotate: SigningKeyCommand = { type: 'RotateSigningKey', key: { ...key, id: 2 } };
const close: SigningKeyCommand = { type: 'CloseSigningKey', appId: 9 };
const closed = (formerId: number | null, formerSealId: string | null): SigningKeyEvent => ({
  type: 'SigningKeyClosed',
  data: { appId: 9, formerId, formerSealId },
});

const stateAfter = (...events: SigningKeyEvent[]) => evolveAll(signingKey, signingKey.initialState(), events);
const created: SigningKeyEvent = { type: 'SigningKeyCreated', data: key };

describe('closing the signing key of an app that is being removed', () => {
  it('retires the key and gives its private half up', () =>
    expect(signingKey.decide(close, stateAfter(created))).toEqual([closed(1, 'signingKey-1')]));

  it('given no key, closes all the same, and once', () => {
    expect(signingKey.decide(close, stateAfter())).toEqual([closed(null, null)]);
    expect(signingKey.decide(close, stateAfter(closed(null, null)))).toEqual([]);
  });

  it.each([create, rotate])('refuses $type from then on as APP_NOT_FOUND', (command) => {
    expect(() => signingKey.decide(command, stateAfter(created, closed(1, 'signingKey-1')))).toThrow(
      expect.objectContaining({ code: 'APP_NOT_FOUND' }) as Error,
    );
  });
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'SigningKeyPainted', data: {} } as unknown as SigningKeyEvent;
  expect(() => stateAfter(unknown)).toThrow(UnknownEventError);
});
