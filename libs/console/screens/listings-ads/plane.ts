import type { EffectiveSettings } from '@sluice/contracts';
import { createContext, useContext } from 'react';
import { api } from '../../api/client';

/**
 * The routes of the module, below its root, for example `/sync/status`. Each resolves to `data` of the envelope.
 * @throws ApiError
 */
export function planeOf({ public_url, plugin }: Pick<EffectiveSettings, 'public_url' | 'plugin'>) {
  const base = `/${plugin.namespace}/v1/listings-ads`;
  return {
    address: (path: string): string => base + path,
    /** The redirect address of the OAuth client. */
    redirectAddress: `${public_url}${base}/oauth/callback`,
    get: <T>(path: string) => api.at<T>('GET', base + path),
    post: <T>(path: string, body?: unknown) => api.at<T>('POST', base + path, body),
  };
}
export type Plane = ReturnType<typeof planeOf>;

export const PlaneContext = createContext<Plane | null>(null);

export function usePlane(): Plane {
  const plane = useContext(PlaneContext);
  if (plane === null) throw new Error('usePlane needs a PlaneContext.');
  return plane;
}
