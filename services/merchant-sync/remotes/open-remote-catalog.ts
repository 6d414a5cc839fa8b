import type { Settings } from '@sluice/config';
import { MerchantApi } from './merchant-api';
import type { RemoteCatalog } from './remote-catalog';
import { RemoteHttp } from './remote-http';

/** The catalogue by the interface that `REMOTE_CATALOG` names. */
export function openRemoteCatalog(settings: Settings): RemoteCatalog {
  const http = new RemoteHttp(settings);
  return new MerchantApi(settings, http);
}
