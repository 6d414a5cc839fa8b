import type { Mapping, SyncLog } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { call, type Answer } from './http';

export interface Envelope<Data> {
  readonly success: boolean;
  readonly data: Data;
  readonly message: string;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly meta: { readonly total: number };
}

/** The listings-ads plane of a server, as an owner asks it. */
export interface Listings {
  send<Data>(method: string, path: string, body?: unknown): Promise<Answer<Envelope<Data>>>;
  /** The data of a success. */
  get<Data>(path: string): Promise<Data>;
  /** Starts a run; answers the id of its log. */
  begin(body?: object): Promise<string>;
  /** Its log, once it has ended. */
  ended(id: string): Promise<SyncLog>;
  sync(body?: object): Promise<SyncLog>;
  /** The first of a product. */
  mapping(productId: string): Promise<Mapping | undefined>;
  /** Ids of the checks that found something. */
  problems(): Promise<string[]>;
  /** From consent, which is given immediately, to the callback. */
  connect(remote: { consent(authorizationUrl: string): Promise<URL> }): Promise<void>;
}

/** `address`: of a gateway, where it is then. */
export function listingsOf(address: () => string, ownerKey: string, base = '/svc/v1/listings-ads'): Listings {
  const send = <Data>(method: string, path: string, body?: unknown) =>
    call<Envelope<Data>>(`${address()}${base}${path}`, {
      method,
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const get = async <Data>(path: string): Promise<Data> => {
    const { status, body } = await send<Data>('GET', path);
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } });
    return body.data;
  };
  const begin = async (body: object = {}): Promise<string> => {
    const started = await send<{ log_id: string }>('POST', '/sync/now', body);
    expect(started).toMatchObject({ status: 202, body: { success: true, data: { log_id: expect.any(String) } } });
    return started.body.data.log_id;
  };
  const ended = async (id: string): Promise<SyncLog> => {
    return eventually(async () => {
      const log = await get<SyncLog>(`/sync/logs/${id}`);
      const { running } = await get<{ running: boolean }>('/sync/status');
      return log.status !== 'running' && !running && log;
    });
  };
  return {
    ...{ send, get, begin, ended },
    sync: async (body) => ended(await begin(body)),
    mapping: async (productId) => (await get<Page<Mapping>>(`/mappings?product_id=${productId}`)).items[0],
    problems: async () =>
      (await get<{ checks: { id: string; status: string }[] }>('/diagnostics')).checks
        .filter(({ status }) => status !== 'ok')
        .map(({ id }) => id),
    async connect(remote) {
      const { body } = await send<{ authorization_url: string }>('POST', '/connect');
      const back = await remote.consent(body.data.authorization_url);
      expect((await fetch(`${address()}${back.pathname}${back.search}`)).status).toBe(200);
    },
  };
}

export const counts = (log: SyncLog) => [log.items_processed, log.items_failed, log.items_skipped, log.items_deleted];
