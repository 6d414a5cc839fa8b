import { readFileSync } from 'node:fs';
import { connect as openSession } from 'node:http2';
import { type BaseOptions, EventStoreDBClient } from '@eventstore/db-client';
import { withTimeout } from '@sluice/kernel';
import type { UnavailableReason } from '../port';
import { type Address, readAddress } from './address';

/** An insecure server accepts any caller; the driver sends none of this. */
const UNUSED = { username: 'unused', password: 'unused' };
/** So many calls in a row without an answer, and the connection is given up. */
const SILENT_CALLS = 2;
const KNOCK_MS = 1_000;
/** What a socket fails with where no server listens, or none is reached. */
const UNREACHABLE =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|EADDR|ERR_HTTP2|ERR_SOCKET|UND_ERR_SOCKET|no answer)/;

/**
 * Reads an address; connects with the first call.
 *
 * The driver's usual way to append keeps what is in flight in one map for all clients of the
 * process: a broken connection of one fails the appends of the others, and an answer that comes
 * after such a failure throws where no caller can catch it. It has no deadlines either. A call with
 * credentials of its own takes another way, as fast and without any of this; so the credentials of
 * the address go with each call. Only a secure address that names none, for client certificates,
 * is left with the usual way, which is safe while a process has one such client.
 *
 * @throws Error without a word of the address when it is none
 */
export function connect(url: string): Connection {
  try {
    return new Connection(readAddress(url));
  } catch {
    throw new Error('This is no address of EventStoreDB; it looks like esdb://USER:PASSWORD@HOST:2113?tls=true.');
  }
}

/** The driver's client of one address, replaced when its server stops answering. */
export class Connection {
  /** For every call: whose it is, and that only a node which has seen all answered appends may answer. */
  readonly call: Required<Pick<BaseOptions, 'requiresLeader'>> & Pick<BaseOptions, 'credentials'>;
  readonly #warned = new Set<string>();
  #client: EventStoreDBClient;
  #silentCalls = 0;
  #disposed = false;

  constructor(private readonly address: Address) {
    const credentials = address.credentials ?? (address.tls ? undefined : UNUSED);
    this.call = { requiresLeader: true, ...(credentials && { credentials }) };
    this.#client = this.#open();
  }

  /** The present one: a call keeps the one that it began with. */
  get client(): EventStoreDBClient {
    return this.#client;
  }

  /** A call of this client got an answer, or was broken off, which the driver notices by itself. */
  answered(client: EventStoreDBClient): void {
    if (client === this.#client) this.#silentCalls = 0;
  }

  /**
   * A call of this client got no answer in its time. The driver continues to wait for such a server as long as
   * its connection lives: after two in a row it is dropped, and the next call looks for the leader again.
   */
  silent(client: EventStoreDBClient): void {
    if (this.gone(client) || (this.#silentCalls += 1) < SILENT_CALLS) return;
    this.#silentCalls = 0;
    this.#client = this.#open();
    void client.dispose();
    // The driver never closes it.
    const channel = Reflect.get(client, 'getChannel') as () => Promise<{ close(): void }>;
    channel().then(
      (open) => open.close(),
      () => undefined,
    );
  }

  /** Whether this client's calls were ended, or will be, without an error of their own. */
  gone(client: EventStoreDBClient): boolean {
    return this.#disposed || client !== this.#client;
  }

  /** What keeps the nodes of the address from being used although none of them refused a call: asks each of them. */
  async knock(): Promise<UnavailableReason> {
    const { nodes, tls, caFile } = this.address;
    const met = await Promise.all(nodes.map((node) => faultAt(`http${tls ? 's' : ''}://${node}`, caFile)));
    if (met.includes('untrusted_certificate')) return 'untrusted_certificate';
    return met.includes(undefined) ? 'no_leader' : 'no_connection';
  }

  /** Waits for the calls that it ends. */
  dispose(): Promise<void> {
    this.#disposed = true;
    return this.#client.dispose();
  }

  /** The driver warns of a keep-alive under ten seconds, which is the default here; everything else is logged once. */
  #open(): EventStoreDBClient {
    const printer: Pick<Console, 'warn'> = console;
    const { warn } = printer;
    printer.warn = (...said: unknown[]) => {
      const text = String(said[0]);
      if (text.startsWith('Specified KeepAliveInterval') || this.#warned.has(text)) return;
      this.#warned.add(text);
      warn(...said);
    };
    try {
      return EventStoreDBClient.connectionString(this.address.forDriver);
    } finally {
      printer.warn = warn;
    }
  }
}

/** Undefined: a server of HTTP/2 answers there, under a certificate that is trusted. */
async function faultAt(origin: string, caFile: string | undefined): Promise<UnavailableReason | undefined> {
  const session = openSession(origin, caFile === undefined ? {} : { ca: readFileSync(caFile) });
  const knock = new Promise<string | undefined>((resolve) => {
    session.once('remoteSettings', () => resolve(undefined));
    session.once('close', () => resolve('no answer'));
    session.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });
  const met = await withTimeout(knock, KNOCK_MS).catch(() => 'no answer');
  session.destroy();
  if (met === undefined) return undefined;
  return UNREACHABLE.test(met) ? 'no_connection' : 'untrusted_certificate';
}
