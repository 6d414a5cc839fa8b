/** The address, keys and bucket of an S3 server. */
export interface StoreAddress {
  readonly host: string;
  /** Undefined: the default of the protocol. */
  readonly port: number | undefined;
  readonly tls: boolean;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
  readonly bucket: string;
  readonly region: string;
}

/** The default region of MinIO and of Amazon S3. */
const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `minio://KEY:SECRET@host:9000/bucket` (plain http), `minios://…` and `s3://…` (https), each with an optional
 * `?region=…`, and `?session_token=…` for temporary keys. Reserved characters in keys and token must be
 * percent-encoded.
 * @throws Error for another text. The error does not contain the text, because it holds a secret
 */
export function storeAddress(url: string): StoreAddress {
  const { protocol, hostname, port, username, password, pathname, search, searchParams } = new URL(url);
  const bucket = pathname.slice(1);
  if (hostname === '' || username === '' || password === '' || bucket === '') {
    throw new Error('The object store URL must be minio://KEY:SECRET@host:port/bucket or s3://KEY:SECRET@host/bucket.');
  }
  // URLSearchParams would decode a + as a space.
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

/** The same store under its public http or https address, without a path. */
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
