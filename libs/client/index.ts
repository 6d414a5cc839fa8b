import * as dashboard from './dashboard-plane.js';
import * as management from './management-plane.js';
import { createPlaneClient, type PlaneClient } from './plane-client.js';
import { retryAtMost } from './retries.js';
import { SESSION_HEADERS, type TransportOptions } from './transport.js';

export type { Progress, UploadFile, UploadForm } from './multipart.js';
export { multipart } from './multipart.js';
export type { Call, CallOptions, PlaneClient, Result, UploadCall } from './plane-client.js';
export { previewAddress, type PreviewAddress } from './preview-address.js';
export { retryAtMost } from './retries.js';
export { SluiceError, type SluiceErrorFacts } from './sluice-error.js';
export {
  createTransport,
  SESSION_HEADERS,
  type Method,
  type Retry,
  type SendOptions,
  type Transport,
  type TransportOptions,
} from './transport.js';

/** The version of the API that this package was generated from: `info.version` of the server's descriptions. */
export const API_VERSION: string = management.API_VERSION;

/** The objects and operations of the management API. */
export type ManagementSchemas = management.components['schemas'];
export type ManagementOperations = management.operations;
export type ManagementClient = PlaneClient<management.paths>;
/** The objects and operations of the dashboard API. */
export type DashboardSchemas = dashboard.components['schemas'];
export type DashboardOperations = dashboard.operations;
export type DashboardClient = PlaneClient<dashboard.paths>;

interface ServerOptions extends Pick<TransportOptions, 'headers'> {
  /** Its address, such as `https://updates.example.com`. */
  readonly server: string;
  /** How often a request that is safe to repeat is sent again. 4 by default, with pauses from half a second to 4 s. */
  readonly retries?: number;
}

const RETRIES = 4;

/**
 * A client of the management API, for an access token.
 * @throws TypeError for a server or a token that no request can carry
 */
export function createManagementClient(options: ServerOptions & { readonly token: string }): ManagementClient {
  const { server, token, headers, retries = RETRIES } = options;
  return createPlaneClient(
    { headers, base: planeAt(server, management.BASE), credential: token, retry: retryAtMost(retries) },
    management.REPEATABLE_POSTS,
  );
}

/**
 * A client of the dashboard API, for an owner. Without an owner key, it takes the session of a page of the server.
 * @throws TypeError for a server or a key that no request can carry
 */
export function createDashboardClient(options: ServerOptions & { readonly ownerKey?: string }): DashboardClient {
  const { server, ownerKey, retries = RETRIES } = options;
  const headers = { ...(ownerKey === undefined && SESSION_HEADERS), ...options.headers };
  return createPlaneClient(
    { headers, base: planeAt(server, dashboard.BASE), credential: ownerKey, retry: retryAtMost(retries) },
    dashboard.REPEATABLE_POSTS,
  );
}

function planeAt(server: string, base: string): string {
  // A page of the server itself needs no address.
  if (server !== '' && !/^https?:\/\/[^/@]+(\/|$)/.test(server)) {
    throw new TypeError('The address of the server must look like https://updates.example.com, without a user name.');
  }
  return server.replace(/\/+$/, '') + base;
}
