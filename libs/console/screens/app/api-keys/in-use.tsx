import type { ApiKey } from '@sluice/contracts';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/api-keys';

/** Whether apps use a key. The server does not count the devices that send it. */
export function InUse({ apiKey }: { readonly apiKey: ApiKey | undefined }) {
  if (apiKey === undefined || apiKey.status === 'revoked') return null;
  return apiKey.last_used_at === null ? <>{texts.notUsed}</> : <>{texts.inUse(<Time at={apiKey.last_used_at} />)}</>;
}
