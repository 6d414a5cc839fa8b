import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { makeCertificates, opensslInstalled } from '@sluice/testing/certificates';
import {
  type EventStoreCluster,
  type EventStoreServer,
  startEventStoreCluster,
  startEventStoreServer,
} from '@sluice/testing/event-store-server';
import { all, failure, newEvents } from '../contract/events.contract';
import { type EventStore, START } from '../port';
import { openEventStoreDb } from './eventstoredb-event-store';

const LONG = { callMs: 10_000, appendMs: 25_000 };
/** For calls that a silent server ends. */
const SHORT = { callMs: 500, appendMs: 25_000 };

const stores: EventStore[] = [];
const open = (url: string, patience = LONG) => {
  const store = openEventStoreDb({ url, patience });
  stores.push(store);
  return store;
};
const closeAll = () => Promise.all(stores.splice(0).map((store) => store.close()));

describe('a cluster of three loopback servers', () => {
  let cluster: EventStoreCluster;

  beforeEach(async () => {
    cluster = await startEventStoreCluster();
  });
  afterEach(async () => {
    cluster.nodes.forEach((node) => node.thaw());
    await closeAll();
    cluster.stop();
  });

  const seeds = () => cluster.addresses.join(',');

  it.each(['esdb', 'esdb+discover'])(
    'is found though the first node of %s:// is down, by a new process too',
    async (scheme) => {
      const url = `${scheme}://${seeds()}?tls=false`;
      const store = open(url);
      await store.append('a-1', 'none', newEvents(1));
      cluster.nodes[0]!.stop();
      cluster.elect(1);
      await store.append('a-1', 0, newEvents(1));
      expect(await all(open(url).readStream('a-1'))).toHaveLength(2);
      expect(cluster.nodes[1]!.calls.append).toBeGreaterThan(0);
    },
  );

  it('is asked by the one node that the address names, which names the leader', async () => {
    cluster.elect(2);
    const store = open(`esdb://${cluster.addresses[0]!}?tls=false`);
    await store.append('a-1', 'none', newEvents(1));
    expect(cluster.log.stream('a-1')).toHaveLength(1);
    expect(cluster.nodes[2]!.calls.append).toBe(1);
  });

  it('switches to the new leader after two calls without a response, although the connection is open', async () => {
    const store = open(`esdb://${seeds()}?tls=false&gossipTimeout=1`, SHORT);
    await store.append('a-1', 'none', newEvents(1));
    const seen: number[] = [];
    const subscription = store.subscribe({
      ...{ after: START, prefixes: ['a-'] },
      handle: ({ events }) => Promise.resolve(void seen.push(...events.map(({ revision }) => revision))),
    });
    await subscription.caughtUp;
    cluster.nodes[0]!.freeze();
    cluster.elect(1);
    await store.append('a-1', 0, newEvents(1));
    expect(await all(store.readStream('a-1'))).toHaveLength(2);
    await eventually(() => seen.length >= 2);
    expect(seen).toEqual([0, 1]);
    await subscription.close();
  });

  it('fails a read that was cut short when its connection was left, in place of ending it', async () => {
    const store = open(`esdb://${seeds()}?tls=false`, SHORT);
    const events = 2_000;
    for (let revision = -1; revision < events - 1; revision += 500) {
      await store.append('a-1', revision === -1 ? 'none' : revision, newEvents(500));
    }
    const read = store.readStream('a-1')[Symbol.asyncIterator]();
    await read.next();
    cluster.nodes[0]!.freeze();
    for (let call = 0; call < 2; call += 1) expect(await failure(store.head())).toMatchObject({ reason: 'no_answer' });
    cluster.nodes[0]!.thaw();
    let seen = 1;
    const rest = async () => {
      while ((await read.next()).done !== true) seen += 1;
    };
    expect(await failure(rest())).toMatchObject({ name: 'EventStoreUnavailableError' });
    expect(seen).toBeLessThan(events);
    expect(await all(store.readStream('a-1'))).toHaveLength(events);
  });

  it('says that it has no leader, found by one node or by all', async () => {
    cluster.elect(undefined);
    for (const nodes of [cluster.addresses[0]!, seeds()]) {
      const store = open(`esdb://${nodes}?tls=false&maxDiscoverAttempts=1`);
      expect(await failure(store.head())).toMatchObject({ reason: 'no_leader', written: 'no' });
      expect(await failure(store.identity())).toMatchObject({ reason: 'no_leader' });
    }
  });

  it('says that none of its nodes is there', async () => {
    cluster.stop();
    for (const nodes of [cluster.addresses[0]!, seeds()]) {
      const store = open(`esdb://${nodes}?tls=false&maxDiscoverAttempts=1`);
      expect(await failure(store.head())).toMatchObject({ reason: 'no_connection' });
    }
  });
});

describe('a loopback server that rejects its caller', () => {
  let server: EventStoreServer;
  let store: EventStore;

  beforeEach(async () => {
    server = await startEventStoreServer();
    store = open(server.url);
  });
  afterEach(async () => {
    server.thaw();
    await closeAll();
    server.stop();
  });

  it('says so of a wrong user or password', async () => {
    server.rights = 'none';
    for (const call of [
      store.head(),
      store.identity(),
      all(store.readStream('a-1')),
      store.append('a-1', 'none', newEvents(1)),
    ]) {
      const fault = await failure(call);
      expect(fault).toMatchObject({ name: 'EventStoreUnavailableError', reason: 'wrong_credentials', written: 'no' });
      expect((fault as Error).message).toMatch(/rejected the user or the password/);
    }
  });

  it('says so of a user who may not read $all, and of nothing else that the user does', async () => {
    server.rights = 'streams';
    await store.append('a-1', 'none', newEvents(1));
    expect(await all(store.readStream('a-1'))).toHaveLength(1);
    const fault = await failure(store.head());
    expect(fault).toMatchObject({ reason: 'access_denied' });
    expect((fault as Error).message).toContain('$all');
  });

  it('distinguishes a silent node from a missing one', async () => {
    const hasty = open(server.url, SHORT);
    server.freeze();
    expect(await failure(hasty.head())).toMatchObject({ reason: 'no_answer' });
    server.stop();
    expect(await failure(hasty.head())).toMatchObject({ reason: 'no_connection' });
  });
});

(opensslInstalled ? describe : describe.skip)('a loopback server with TLS (needs openssl)', () => {
  let folder: string;
  let server: EventStoreServer;
  let authority: string;

  const serve = async (host?: string) => {
    const made = makeCertificates(folder, host);
    authority = join(folder, 'authority.pem');
    writeFileSync(authority, made.authority);
    server = await startEventStoreServer(made);
  };
  const reasonAt = async (address: string, options: string) => {
    const fault = await failure(open(`esdb://${address}?${options}`).head());
    return (fault as { reason?: string }).reason;
  };

  beforeEach(() => {
    folder = temporaryDirectory();
  });
  afterEach(async () => {
    await closeAll();
    server.stop();
  });

  it('is used where its authority is known, and its certificate names the host', async () => {
    await serve();
    const store = open(`${server.url.replace('//', '//admin:changeit@')}&tlsCAFile=${authority}`);
    await store.append('a-1', 'none', newEvents(1));
    expect(await all(store.readAll())).toHaveLength(1);
  });

  it('says so of an authority that is not known, of one node and of several', async () => {
    await serve();
    const address = new URL(server.url).host;
    expect(await reasonAt(address, 'tls=true')).toBe('untrusted_certificate');
    expect(await reasonAt(`${address},127.0.0.1:1`, 'tls=true&maxDiscoverAttempts=1')).toBe('untrusted_certificate');
  });

  it('says so of a certificate for another host', async () => {
    await serve('DNS:events.example.com');
    const address = new URL(server.url).host;
    expect(await reasonAt(address, `tls=true&tlsCAFile=${authority}`)).toBe('untrusted_certificate');
    const several = `tls=true&maxDiscoverAttempts=1&tlsCAFile=${authority}`;
    expect(await reasonAt(`${address},127.0.0.1:1`, several)).toBe('untrusted_certificate');
  });
});
