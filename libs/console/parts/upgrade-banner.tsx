import type { Upgrade } from '@sluice/contracts';
import { useGet } from '../api/queries';
import { useIsOperator } from '../api/session';

/** Replicas come and go without a hint from the server. */
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
    <aside className="note warn banner" aria-label="Upgrade">
      <p>
        <strong>The upgrade is not finished.</strong> What earlier releases do not know can’t be used until then. Once
        every replica runs this release, run <code>sluice upgrade finish</code>.
      </p>
      {blocking.length > 0 && (
        <details>
          <summary>
            {blocking.length === 1 ? '1 replica does' : `${blocking.length} replicas do`} not run this release yet
          </summary>
          <ul>
            {blocking.map(({ service, name }) => (
              <li key={`${service}/${name}`}>
                {service}: {name ?? 'no replica answers'}
              </li>
            ))}
          </ul>
        </details>
      )}
    </aside>
  );
}
