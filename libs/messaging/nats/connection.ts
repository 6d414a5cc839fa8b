import { ENGINE_PATIENCE_MS, type Logger, waitForEngine, withTimeout } from '@sluice/kernel';
import { connect, type ConnectionOptions, type NatsConnection, type TlsOptions } from 'nats';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** What may be one part of a subject. */
const SUBJECT_TOKEN = /^[\w-]+$/;

/**
 * Options for `nats://` and `tls://` URLs; several, separated by commas, name the servers of one
 * cluster. User and password, or a token as the user alone, stand in the first. With `tls://`, or a
 * `ca` (PEM, and then no other authority is trusted), nothing is sent but over TLS. A user with a
 * password receives replies under `_INBOX.USER`, so that the server can keep other users from reading them.
 * @throws Error that does not repeat the URL, which may hold a password
 */
export function natsOptions(url: string, name: string, ca?: string): ConnectionOptions {
  const [first, ...others] = url
    .split(',')
    .map((text) => (URL.canParse(text.trim()) ? new URL(text.trim()) : undefined));
  const servers = [first, ...others].map((server) => server?.host);
  if (!first || !servers.every((host) => host))
    throw new Error('The NATS URL must be nats://HOST:PORT or tls://HOST:PORT.');
  const user = decodeURIComponent(first.username);
  const pass = decodeURIComponent(first.password);
  return {
    name,
    servers: servers.map(String),
    ...(user && (pass ? { user, pass } : { token: user })),
    ...(pass && SUBJECT_TOKEN.test(user) && { inboxPrefix: `_INBOX.${user}` }),
    ...((first.protocol === 'tls:' || ca !== undefined) && { tls: tlsOptions([first, ...others], ca) }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true,
    pingInterval: 10_000,
  };
}

/** Connects, and keeps trying for `patienceMs`: where all start together, NATS may come up after its clients. */
export async function connectPatiently(
  options: ConnectionOptions,
  logger?: Logger,
  patienceMs: number = ENGINE_PATIENCE_MS,
): Promise<NatsConnection> {
  const address = String(options.servers);
  try {
    return await waitForEngine({ engine: 'NATS', address, logger, patienceMs }, () =>
      connect(options).catch((error: unknown) => {
        throw new Error(reasonOf(error), { cause: error });
      }),
    );
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`No NATS server accepts connections at ${address}: ${message}`, { cause });
  }
}

/** By an address alone the driver would hold the certificate against `localhost`; it hands these on to Node. */
function tlsOptions(servers: readonly (URL | undefined)[], ca: string | undefined): TlsOptions {
  const hosts = servers.map((server) => server?.hostname.replace(/^\[|\]$/g, '') ?? '');
  const byAddress = isIP(hosts[0] ?? '') !== 0 && {
    checkServerIdentity: (_: string, certificate: PeerCertificate): Error | undefined => {
      const faults = hosts.map((host) => checkServerIdentity(host, certificate));
      return faults.includes(undefined) ? undefined : faults[0];
    },
  };
  return { ...(ca !== undefined && { ca }), ...byAddress };
}

const CERTIFICATE_FAULT = /^(ERR_TLS_CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|CERT_)/;

function reasonOf(error: unknown): string {
  const { message = String(error), code = '' } = error as { message?: string; code?: string };
  if (!CERTIFICATE_FAULT.test(code)) return message;
  return `its certificate is refused (${message}). BUS_CA_FILE names the authority to trust`;
}

/** Waits for work that needs the server, for at most two seconds: it may be unavailable. True: done in time. */
export function briefly(work: Promise<unknown>): Promise<boolean> {
  return withTimeout(work, 2_000).then(
    () => true,
    () => false,
  );
}
