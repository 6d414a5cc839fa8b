/** An address of EventStoreDB, taken apart. */
export interface Address {
  /** As the driver gets it: without user and password, which it prints when it does not like an address. */
  readonly forDriver: string;
  /** `host:port` of each node that is named. */
  readonly nodes: readonly string[];
  readonly tls: boolean;
  /** Of `tlsCAFile`. */
  readonly caFile: string | undefined;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

const FORM =
  /^(?<scheme>esdb(?:\+discover)?):\/\/(?:(?<user>[^:/?]*):(?<password>[^?]*)@)?(?<nodes>[^/?]+)\/*(?:\?(?<options>.*))?$/;

/** A node that stopped answering is noticed within 3.5 seconds. The driver's own defaults make it 20. */
const DEFAULTS = { keepAliveInterval: 2_000, keepAliveTimeout: 1_500 } as const;

/**
 * Takes an address apart, and adds what it leaves to Sluice. Of several nodes the driver asks only the first one
 * under `esdb+discover://`, which is for one DNS name: such a list is read as `esdb://`.
 * @throws Error when it has another form, URIError when user or password are not percent-encoded
 */
export function readAddress(url: string): Address {
  const { scheme, user, password, nodes, options = '' } = FORM.exec(url.trim())?.groups ?? {};
  if (scheme === undefined || nodes === undefined) throw new Error('It has another form.');
  const named = new Map([...new URLSearchParams(options)].map(([name, value]) => [flat(name), value]));
  const added = Object.entries(DEFAULTS).filter(([name]) => !named.has(flat(name)));
  const all = [options, ...added.map(([name, value]) => `${name}=${value}`)].filter((option) => option !== '');
  return {
    forDriver: `${nodes.includes(',') ? 'esdb' : scheme}://${nodes}?${all.join('&')}`,
    nodes: nodes
      .split(',')
      .filter((node) => node !== '')
      .map((node) => (node.includes(':') ? node : `${node}:2113`)),
    tls: named.get('tls')?.toLowerCase() !== 'false',
    caFile: named.get('tlscafile'),
    credentials:
      user === undefined || password === undefined
        ? undefined
        : { username: decodeURIComponent(user), password: decodeURIComponent(password) },
  };
}

/** The driver reads names of options so. */
function flat(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}
