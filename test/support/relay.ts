import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a client and an engine, so that a test can take the engine away. */
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
  close(): Promise<void>;
}

/** Relays a free port of loopback to the target. */
export async function openRelay(target: { readonly host: string; readonly port: number }): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    if (!frozen) thaw(pair);
  });
  const thaw = ([client, upstream]: readonly [Socket, Socket]) => client.pipe(upstream).pipe(client);
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
    close: cut,
  };
}
