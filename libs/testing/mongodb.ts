import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** A database of its own on a server, empty. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** @param server an address, whatever database it names */
export function testDatabase(server: string): TestDatabase {
  const [, origin = '', query = ''] = /^([^:]+:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(server) ?? [];
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  return {
    url: `${origin}/${name}${query}`,
    drop: async () => {
      const client = new MongoClient(server);
      try {
        await client.db(name).dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}
