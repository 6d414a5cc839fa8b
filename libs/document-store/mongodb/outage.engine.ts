import { openRelay, type Relay } from '../../../test/support/relay';
import { testDatabase, type TestDatabase } from '../../../test/support/mongodb';
import { type Collection, type DocumentStore, DocumentStoreUnavailableError, type Row } from '../port';
import { openMongoDocumentStore } from './index';

const server = process.env['TEST_MONGODB_URL'];
/** One server, so that a relay can stand before it. */
const single = server !== undefined && !server.includes('+srv') && !server.includes(',');

jest.setTimeout(180_000);

interface Note extends Row {
  readonly text: string;
}
const NOTES: Collection<Note> = { name: 'notes', indexes: [{ fields: ['text'] }] };

(single ? describe : describe.skip)(
  `MongoDB that goes away${single ? '' : ' (no single server in TEST_MONGODB_URL)'}`,
  () => {
    let database: TestDatabase;
    let relay: Relay;
    let store: DocumentStore;

    beforeEach(async () => {
      database = testDatabase(server!);
      const { host, hostname, port } = new URL(database.url);
      relay = await openRelay({ host: hostname, port: Number(port || 27017) });
      store = await openMongoDocumentStore({
        url: database.url.replace(host, `127.0.0.1:${relay.port}`),
        database: 'unused',
      });
    });
    afterEach(async () => {
      await store.close();
      await relay.close();
      await database.drop();
    });

    const put = (id: string) => store.rows(NOTES).put({ id, text: 'x' });

    it('is told as unavailable, and used again without help when it is back', async () => {
      await put('1');
      await relay.cut();
      await expect(put('2')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      await expect(store.view('nobody', NOTES).find()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      await expect(store.ping()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      await relay.restore();
      await put('3');
      expect((await store.rows(NOTES).find()).map(({ id }) => id)).toEqual(['1', '3']);
    });

    it('ends calls that it does not answer', async () => {
      await put('1');
      relay.freeze();
      await expect(put('2')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      relay.thaw();
      await put('3');
      expect(await store.rows(NOTES).get('3')).toBeDefined();
    });
  },
);
