import { type BaseOptions, EventStoreDBClient } from '@eventstore/db-client';

export interface Connection {
  readonly client: EventStoreDBClient;
  /** For every call: whose it is, and that only a node which has seen all answered appends may answer. */
  readonly call: Required<Pick<BaseOptions, 'requiresLeader'>> & Pick<BaseOptions, 'credentials'>;
}

const ADDRESS = /^(?<scheme>esdb(?:\+discover)?:\/\/)(?:(?<user>[^:/?]*):(?<password>[^?]*)@)?(?<rest>.*)$/;
/** An insecure server takes anybody; the driver sends nothing of this. */
const NOBODY = { username: 'nobody', password: 'nobody' };

/**
 * Reads an address; connects with the first call.
 *
 * The driver's usual way to append keeps what is in flight in one map for all clients of the
 * process: a broken connection of one fails the appends of the others, and an answer that comes
 * after such a failure throws where nobody can catch it. It has no deadlines either. A call with
 * credentials of its own takes another way, as fast and without any of this; so the credentials of
 * the address go with each call. Only a secure address that names none, for client certificates,
 * is left with the usual way, which is safe while a process has one such client.
 *
 * The driver is never given a password in an address: it prints addresses that it does not like.
 * @throws Error without a word of the address when it is none
 */
export function connect(url: string): Connection {
  const { scheme, user, password, rest } = ADDRESS.exec(url)?.groups ?? {};
  try {
    if (scheme === undefined || rest === undefined) throw new Error('It begins with another scheme.');
    const client = EventStoreDBClient.connectionString(scheme + rest);
    const insecure = /[?&]tls=false(&|$)/i.test(rest);
    const named =
      user !== undefined && password !== undefined
        ? { username: decodeURIComponent(user), password: decodeURIComponent(password) }
        : undefined;
    const credentials = named ?? (insecure ? NOBODY : undefined);
    return { client, call: { requiresLeader: true, ...(credentials && { credentials }) } };
  } catch {
    throw new Error('This is no address of EventStoreDB; it looks like esdb://USER:PASSWORD@HOST:2113?tls=true.');
  }
}
