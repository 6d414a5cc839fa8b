import { multipart, type Progress, type UploadFile } from './multipart.js';
import { randomHex } from './random-hex.js';
import { createTransport, type Method, type TransportOptions } from './transport.js';

type HttpMethod = Lowercase<Method>;
type Json<Content> = Content extends { readonly 'application/json': infer Value } ? Value : never;
type Form<Operation> = Operation extends { requestBody: { content: { 'multipart/form-data': infer Fields } } }
  ? Fields
  : never;

/** The paths of an API that have an operation of this kind. */
type PathOf<Paths, M extends HttpMethod> = {
  [Path in keyof Paths]: Paths[Path] extends Readonly<Record<M, { responses: unknown }>> ? Path : never;
}[keyof Paths] &
  string;
type OperationAt<Paths, Path extends keyof Paths, M extends HttpMethod> =
  Paths[Path] extends Readonly<Record<M, infer Operation>> ? Operation : never;

type Body<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { readonly body: Json<Content> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { readonly body?: Json<Content> }
    : unknown;
type Parameters<Operation> = Operation extends { parameters: infer Given }
  ? Omit<Given, 'cookie' | 'path'> & PathOfCall<Given>
  : never;
/** An id may be given as a number. */
type PathOfCall<Given> = Given extends { path: infer Values }
  ? { readonly path: Readonly<Record<keyof Values, string | number>> }
  : unknown;

export interface CallOptions {
  readonly signal?: AbortSignal;
}
/** What a request takes: `path`, `query`, `header` and `body`, as the description of the API has them. */
export type Call<Operation> = Parameters<Operation> & Body<Operation> & CallOptions;
type CallArguments<Operation> =
  Partial<Call<Operation>> extends Call<Operation> ? [call?: Call<Operation>] : [call: Call<Operation>];

/** The JSON of a successful response. */
export type Result<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses] extends { content: infer Content }
    ? Json<Content>
    : undefined
  : never;
type Item<Operation> = Result<Operation> extends { data: readonly (infer Element)[]; meta: unknown } ? Element : never;

/** Those of a list that comes in pages. */
type PagedPath<Paths> = {
  [Path in PathOf<Paths, 'get'>]: [Item<OperationAt<Paths, Path, 'get'>>] extends [never] ? never : Path;
}[PathOf<Paths, 'get'>];
type UploadPath<Paths> = {
  [Path in PathOf<Paths, 'post'>]: [Form<OperationAt<Paths, Path, 'post'>>] extends [never] ? never : Path;
}[PathOf<Paths, 'post'>];

export type UploadCall<Operation> = Parameters<Operation> &
  CallOptions & {
    readonly file: UploadFile;
    readonly fields: Omit<Form<Operation>, 'file'>;
    readonly onProgress?: (progress: Progress) => void;
  };

type Caller<Paths, M extends HttpMethod> = <Path extends PathOf<Paths, M>>(
  path: Path,
  ...call: CallArguments<OperationAt<Paths, Path, M>>
) => Promise<Result<OperationAt<Paths, Path, M>>>;

/**
 * The operations of an API by method and path. All reject with a SluiceError, with the reason of an aborted signal, with
 * TypeError for a parameter or header that no request can carry, or with what reading a file threw. A POST that takes
 * an `Idempotency-Key` gets one, unless `header` has it, so that it acts once however often it is sent.
 */
export interface PlaneClient<Paths> {
  get: Caller<Paths, 'get'>;
  post: Caller<Paths, 'post'>;
  put: Caller<Paths, 'put'>;
  patch: Caller<Paths, 'patch'>;
  delete: Caller<Paths, 'delete'>;
  /** The items of all pages of a list. An item that moves to a later page meanwhile comes once. */
  items<Path extends PagedPath<Paths>>(
    path: Path,
    ...call: CallArguments<OperationAt<Paths, Path, 'get'>>
  ): AsyncGenerator<Item<OperationAt<Paths, Path, 'get'>>, undefined>;
  /** Streams a file. */
  upload<Path extends UploadPath<Paths>>(
    path: Path,
    call: UploadCall<OperationAt<Paths, Path, 'post'>>,
  ): Promise<Result<OperationAt<Paths, Path, 'post'>>>;
  /** A response whose body is not read yet, for what is not JSON. */
  download<Path extends PathOf<Paths, 'get'>>(
    path: Path,
    ...call: CallArguments<OperationAt<Paths, Path, 'get'>>
  ): Promise<Response>;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;
interface AnyCall extends CallOptions {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Values;
  readonly header?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface AnyUploadCall extends AnyCall {
  readonly file: UploadFile;
  readonly fields: Values;
  readonly onProgress?: (progress: Progress) => void;
}

const LARGEST_PAGE = 50;

/** @throws TypeError as createTransport does */
export function createPlaneClient<Paths>(
  options: TransportOptions,
  repeatablePosts: readonly string[],
): PlaneClient<Paths> {
  const transport = createTransport(options);

  const optionsOf = (method: Method, path: string, { header, signal }: AnyCall) => ({
    headers: header,
    signal,
    ...(method === 'POST' &&
      repeatablePosts.includes(path) && { idempotencyKey: header?.['Idempotency-Key'] ?? randomHex(16) }),
  });
  const caller =
    (method: Method) =>
    async (path: string, call: AnyCall = {}) => {
      const body = call.body === undefined ? undefined : JSON.stringify(call.body);
      return transport.json(method, addressOf(path, call), { ...optionsOf(method, path, call), body });
    };
  const get = caller('GET');

  async function* items(path: string, call: AnyCall = {}): AsyncGenerator<unknown, undefined> {
    const met = new Set<unknown>();
    for (let page = 1, last = 1; page <= last; page += 1) {
      const query = { per_page: LARGEST_PAGE, ...call.query, page };
      const { data, meta } = (await get(path, { ...call, query })) as {
        data: readonly { readonly id?: unknown }[];
        meta: { readonly last_page: number };
      };
      for (const item of data) {
        if (item.id !== undefined && met.has(item.id)) continue;
        met.add(item.id);
        yield item;
      }
      last = meta.last_page;
    }
    return undefined;
  }

  return {
    ...{ get, post: caller('POST'), put: caller('PUT'), patch: caller('PATCH'), delete: caller('DELETE'), items },
    upload: async (path: string, call: AnyUploadCall) =>
      transport.json('POST', addressOf(path, call), {
        ...optionsOf('POST', path, call),
        ...{ body: multipart(call.fields, call.file), onProgress: call.onProgress },
      }),
    download: async (path: string, call: AnyCall = {}) =>
      transport.send('GET', addressOf(path, call), { headers: { accept: '*/*', ...call.header }, signal: call.signal }),
  } as unknown as PlaneClient<Paths>;
}

/** @throws TypeError for a parameter of the path that is missing or empty */
function addressOf(path: string, { path: given = {}, query = {} }: AnyCall): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name];
    if (value === undefined || value === '') throw new TypeError(`${path}: path.${name} must be given.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
