import { createContext, useContext } from 'react';
import { api } from '../../api/client';

/** The routes of the module, from its base on: `/sync/status`. Each answers the envelope’s `data`. @throws ApiError */
export function planeAt(base: string) {
  return {
    base,
    get: <T>(path: string) => api.at<T>('GET', base + path),
    post: <T>(path: string, body?: unknown) => api.at<T>('POST', base + path, body),
  };
}
export type Plane = ReturnType<typeof planeAt>;

/** Where the module lies unless the server says otherwise. */
export const DEFAULT_BASE = '/svc/v1/listings-ads';

export const PlaneContext = createContext<Plane>(planeAt(DEFAULT_BASE));

export const usePlane = (): Plane => useContext(PlaneContext);
