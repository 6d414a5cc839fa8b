import { evolveAll } from '@sluice/kernel';
import { keystore, type KeystoreCommand, type KeystoreEvent, type KeystoreFacts } from './keystore';

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
const given = (...events: KeystoreEvent[]) => evolveAll(keystore, keystore.initialState(), events);

it('keeps the first backup', () => {
  expect(keystore.decide(store(1), given())).toEqual([stored(1)]);
  expect(given(stored(1))).toEqual(facts(1));
});

it('replaces a backup, and names what is of no use any more', () => {
  const [event] = keystore.decide(store(2), given(stored(1)));
  expect(event).toEqual({
    type: 'KeystoreStored',
    data: { ...facts(2), formerObjectKey: 'keystores/1', formerSealId: 'keystore-1' },
  });
  expect(given(stored(1), event!)).toEqual(facts(2));
});

it('stores the same file again: it is a backup of its own', () => {
  expect(keystore.decide(store(1), given(stored(1)))).toHaveLength(1);
});

it('deletes a backup once', () => {
  expect(keystore.decide({ type: 'DeleteKeystore' }, given(stored(1)))).toEqual([deleted]);
  for (const none of [given(), given(stored(1), deleted)]) {
    expect(() => keystore.decide({ type: 'DeleteKeystore' }, none)).toThrow(
      expect.objectContaining({ code: 'KEYSTORE_NOT_FOUND' }) as Error,
    );
  }
});

it('keeps one anew after a deletion, which has nothing before it', () => {
  expect(keystore.decide(store(2), given(stored(1), deleted))).toEqual([stored(2)]);
});

describe('closing the keystore of an app that is being removed', () => {
  const close: KeystoreCommand = { type: 'CloseKeystore', appId: 7 };
  const closed: KeystoreEvent = { type: 'KeystoreClosed', data: { appId: 7 } };

  it('deletes the backup; given none, closes all the same, and once', () => {
    expect(keystore.decide(close, given(stored(1)))).toEqual([deleted, closed]);
    expect(keystore.decide(close, given())).toEqual([closed]);
    expect(keystore.decide(close, given(closed))).toEqual([]);
  });

  it.each([store(2), { type: 'DeleteKeystore' } as const])('refuses $type from then on as APP_NOT_FOUND', (command) => {
    expect(() => keystore.decide(command, given(stored(1), deleted, closed))).toThrow(
      expect.objectContaining({ code: 'APP_NOT_FOUND' }) as Error,
    );
  });
});
