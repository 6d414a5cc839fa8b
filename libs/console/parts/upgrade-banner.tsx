import type { Upgrade } from '@sluice/contracts';
import { useGet } from '../api/queries';
import { useIsOperator } from '../api/session';
import * as texts from '../texts/frame';

/** The server sends no hint when replicas start or stop. */
const AGAIN_MS = 15_000;

/** Reminds the operator of an upgrade that is not finished. */
export function UpgradeBanner() {
  const upgrade = useGet<Upgrade>('/upgrade', ['upgrade', null], {
    enabled: useIsOperator(),
    refetchInterval: ({ state }) => (state.data?.finished === true ? false : AGAIN_MS),
  });
  if (upgrade.data === undefined || upgrade.data.finished) return null;
  const { blocked_by: blocking } = upgrade.data;
  return (
    <aside className="note warn banner" aria-label={texts.upgrade}>
      <p>{texts.upgradeUnfinished}</p>
      {blocking.length > 0 && (
        <details>
          <summary>{texts.blockingReplicas(blocking.length)}</summary>
          <ul>
            {blocking.map(({ service, name }) => (
              <li key={`${service}/${name}`}>{texts.blockingReplica(service, name)}</li>
            ))}
          </ul>
        </details>
      )}
    </aside>
  );
}
