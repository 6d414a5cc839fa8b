import * as dashboard from './dashboard-plane.js';
import * as management from './management-plane.js';
import { createPlaneClient, type PlaneClient } from './plane-client.js';
import type { TransportOptions } from './transport.js';

export type { MultipartBody, UploadFile } from './multipart.js';
export { multipart } from './multipart.js';
export type { Call, CallOptions, PlaneClient, Result, UploadCall } from './plane-client.js';
export { SluiceError, type SluiceErrorFacts } from './sluice-error.js';
export {
  createTransport,
  type Method,
  type Progress,
  type SendOptions,
  type Transport,
  type TransportOptions,
} from './transport.js';

/** The version of the API that this package was generated from: `info.version` of the server's descriptions. */
export const API_VERSION: string = management.API_VERSION;

/** The objects and operations of the management plane. */
export type ManagementSchemas = management.components['schemas'];
export type ManagementOperations = management.operations;
export type ManagementClient = PlaneClient<management.paths>;
/** The objects and operations of the dashboard plane. */
export type DashboardSchemas = dashboard.components['schemas'];
export type DashboardOperations = dashboard.operations;
export type DashboardClient = PlaneClient<dashboard.paths>;

interface ServerOptions extends Pick<TransportOptions, 'headers' | 'retries'> {
  /** Its address, such as `https://updates.example.com`. */
  readonly server: string;
}

/**
 * A client of the management plane, for an access token.
 * @throws TypeError for a server or a token that no request can carry
 */
export function createManagementClient(options: ServerOptions & { readonly token: string }): ManagementClient {
  const { server, token, ...rest } = options;
  return createPlaneClient(
    { ...rest, base: planeAt(server, management.BASE), credential: token },
    management.REPEATABLE_POSTS,
  );
}

/**
 * A client of the dashboard plane, for an owner. Without an owner key, it takes the session of a page of the server.
 * @throws TypeError for a server or a key that no request can carry
 */
export function createDashboardClient(options: ServerOptions & { readonly ownerKey?: string }): DashboardClient {
  const { server, ownerKey, headers, ...rest } = options;
  const session = ownerKey === undefined ? SESSION_HEADERS : {};
  return createPlaneClient(
    { ...rest, headers: { ...session, ...headers }, base: planeAt(server, dashboard.BASE), credential: ownerKey },
    dashboard.REPEATABLE_POSTS,
  );
}

/** Required for changes with a session: the header that other sites can't send. */
export const SESSION_HEADERS: Readonly<Record<string, string>> = { 'X-Sluice-CSRF': '1' };

const planeAt = (server: string, base: string): string => server.replace(/\/+$/, '') + base;
