import type { ApiKey } from '@sluice/contracts';
import { Time } from '../../../parts/values';

/** Whether apps would notice a change of a key. How many devices send it, the server does not count. */
export function InUse({ apiKey }: { readonly apiKey: ApiKey | undefined }) {
  if (apiKey === undefined || apiKey.status === 'revoked') return null;
  return apiKey.last_used_at === null ? (
    <>No app has used it yet.</>
  ) : (
    <strong>
      It is in use: an app used it <Time at={apiKey.last_used_at} />.
    </strong>
  );
}
