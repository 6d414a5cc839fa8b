import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Runs between a client and an engine, so that a test can take the engine away. */
export interface Relay {
  readonly port: number;
  /** Those that are open. */
  readonly connections: number;
  /** Ends every connection and accepts none until `restore`. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Passes nothing on, and closes nothing, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Holds back what the engine answers for so many milliseconds; 0: no longer. */
  slow(ms: number): void;
  close(): Promise<void>;
}

/** Relays a free port of loopback to the target. */
export async function openRelay(target: { readonly host: string; readonly port: number }): Promise<Relay> {
  const pairs = new Set<readonly [client: Socket, upstream: Socket, held: Transform]>();
  let frozen = false;
  let heldBackMs = 0;
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    const held = holdingBack(() => heldBackMs);
    held.pipe(client);
    const pair = [client, upstream, held] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const stream of pair) stream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    if (!frozen) thaw(pair);
  });
  const thaw = ([client, upstream, held]: readonly [Socket, Socket, Transform]) => {
    client.pipe(upstream).pipe(held);
  };
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    if (!server.listening) return;
    server.close();
    for (const [client] of [...pairs]) client.destroy();
    await once(server, 'close');
  };
  return {
    port,
    get connections() {
      return pairs.size;
    },
    cut,
    restore: () => listen(port),
    freeze: () => {
      frozen = true;
      for (const [client, upstream] of pairs) {
        client.unpipe();
        upstream.unpipe();
        client.pause();
        upstream.pause();
      }
    },
    thaw: () => {
      frozen = false;
      for (const pair of pairs) thaw(pair);
    },
    slow: (ms) => {
      heldBackMs = ms;
    },
    close: cut,
  };
}

/** In their order, and many at a time: the time is that of a way, not of a narrow pass. */
function holdingBack(ms: () => number): Transform {
  let passed = Promise.resolve();
  return new Transform({
    transform(chunk: Buffer, _encoding, taken) {
      const due = ms() === 0 ? undefined : pause(ms());
      passed = passed.then(async () => {
        await due;
        if (!this.destroyed) this.push(chunk);
      });
      taken();
    },
    flush(done) {
      void passed.then(() => done());
    },
  });
}
