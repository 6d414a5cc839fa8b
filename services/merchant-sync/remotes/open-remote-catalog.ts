import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { ContentApi } from './content-api';
import { MerchantApi } from './merchant-api';
import type { RemoteCatalog } from './remote-catalog';
import { RemoteHttp } from './remote-http';

/** The catalogue by the interface that `REMOTE_CATALOG` names. */
export function openRemoteCatalog(settings: MerchantSyncSettings): RemoteCatalog {
  const http = new RemoteHttp(settings);
  return settings.remoteCatalog === 'merchant_api_v1'
    ? new MerchantApi(settings, http)
    : new ContentApi(settings, http);
}
