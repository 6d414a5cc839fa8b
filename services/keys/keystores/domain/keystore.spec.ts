import { UnknownEventError } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import {
  existingKeystore,
  keystore,
  KEYSTORE_OBJECTS,
  KEYSTORE_SEALS,
  type KeystoreCommand,
  type KeystoreEvent,
  type KeystoreFacts,
  keystoreStream,
} from './keystore';

const facts = (n: number): KeystoreFacts => ({
  appId: 7,
  originalName: `upload-${n}.zip`,
  size: n,
  sha256: String(n),
  objectKey: `keystores/${n}`,
  sealId: `keystore-${n}`,
});
const stored = (n: number): KeystoreEvent => ({ type: 'KeystoreStored', data: facts(n) });
const store = (n: number): KeystoreCommand => ({ type: 'StoreKeystore', keystore: facts(n) });
const deleted: KeystoreEvent = {
  type: 'KeystoreDeleted',
  data: { appId: 7, formerObjectKey: 'keystores/1', formerSealId: 'keystore-1' },
};
const { given } = specify(keystore);

it('keeps the first backup', () => {
  given().when(store(1)).then(stored(1));
  expect(given(stored(1)).state).toEqual({ ...facts(1), uploadedAt: eventTime(0) });
});

it('replaces a backup, and names what is of no use any more', () => {
  const [event] = given(stored(1)).when(store(2)).events;
  expect(event).toEqual({
    type: 'KeystoreStored',
    data: { ...facts(2), formerObjectKey: 'keystores/1', formerSealId: 'keystore-1' },
  });
  expect(given(stored(1), event!).state).toEqual({ ...facts(2), uploadedAt: eventTime(1) });
});

it('stores the same file again: it is a backup of its own', () => {
  expect(given(stored(1)).when(store(1)).events).toHaveLength(1);
});

it('deletes a backup once', () => {
  given(stored(1)).when({ type: 'DeleteKeystore' }).then(deleted);
  for (const none of [given(), given(stored(1), deleted)]) {
    none.when({ type: 'DeleteKeystore' }).rejects('KEYSTORE_NOT_FOUND');
  }
});

it('stores another one after a deletion, with nothing before it', () => {
  given(stored(1), deleted).when(store(2)).then(stored(2));
});

describe('closing the keystore of an app that is being removed', () => {
  const close: KeystoreCommand = { type: 'CloseKeystore', appId: 7 };
  const closed: KeystoreEvent = { type: 'KeystoreClosed', data: { appId: 7 } };

  it('deletes the backup; given none, closes all the same, and once', () => {
    given(stored(1)).when(close).then(deleted, closed);
    given().when(close).then(closed);
    given(closed).when(close).then();
  });

  it.each([store(2), { type: 'DeleteKeystore' } as const])('rejects $type from then on as APP_NOT_FOUND', (command) => {
    given(stored(1), deleted, closed).when(command).rejects('APP_NOT_FOUND');
  });

  it('leaves no backup to be read', () => {
    expect(() => existingKeystore(given(closed).state)).toThrow(
      expect.objectContaining({ code: 'APP_NOT_FOUND' }) as Error,
    );
  });
});

it('keeps its events in the stream keystore-7', () => {
  expect(keystoreStream(7)).toBe('keystore-7');
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'KeystorePainted', data: {} } as unknown as KeystoreEvent;
  expect(() => given(unknown)).toThrow(UnknownEventError);
});

it('names sealed data keys keystore- and stored files keystores/', () => {
  expect([KEYSTORE_SEALS, KEYSTORE_OBJECTS]).toEqual(['keystore-', 'keystores/']);
});
