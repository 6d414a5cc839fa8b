/** Where an S3 speaks, with whose keys, and the bucket. */
export interface StoreAddress {
  readonly host: string;
  /** Undefined: the protocol's own. */
  readonly port: number | undefined;
  readonly tls: boolean;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
  readonly bucket: string;
  readonly region: string;
}

/** Where MinIO answers unless it was told otherwise, and what Amazon took first. */
const DEFAULT_REGION = 'us-east-1';

/**
 * Reads `minio://KEY:SECRET@host:9000/bucket` (plain http), `minios://…` and `s3://…` (https), each with
 * `?region=…` or without, and with `?session_token=…` for temporary keys. Keys and token are
 * percent-encoded where they hold signs of an address.
 * @throws Error for another text; it doesn't show the text, which holds a secret
 */
export function storeAddress(url: string): StoreAddress {
  const { protocol, hostname, port, username, password, pathname, search, searchParams } = new URL(url);
  const bucket = pathname.slice(1);
  if (hostname === '' || username === '' || password === '' || bucket === '') {
    throw new Error('An object store is given as minio://KEY:SECRET@host:port/bucket or s3://KEY:SECRET@host/bucket.');
  }
  // Not by the rules of forms, which would read a + as a space.
  const token = /[?&]session_token=([^&]+)/.exec(search)?.[1];
  return {
    ...hostAndPort(hostname, port),
    tls: protocol !== 'minio:',
    accessKey: decodeURIComponent(username),
    secretKey: decodeURIComponent(password),
    bucket,
    region: searchParams.get('region') ?? DEFAULT_REGION,
    ...(token !== undefined && { sessionToken: decodeURIComponent(token) }),
  };
}

/** The same store as others reach it, under an http or https address without a path. */
export function seenFrom(origin: string, address: StoreAddress): StoreAddress {
  const { protocol, hostname, port } = new URL(origin);
  return { ...address, ...hostAndPort(hostname, port), tls: protocol === 'https:' };
}

/** Such as `http://127.0.0.1:9000`. */
export function originOf({ host, port, tls }: StoreAddress): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${name}${port === undefined ? '' : `:${port}`}`;
}

function hostAndPort(hostname: string, port: string): Pick<StoreAddress, 'host' | 'port'> {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? undefined : Number(port) };
}
