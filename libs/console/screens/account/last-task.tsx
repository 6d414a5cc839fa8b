import type { ProjectionTask } from '@sluice/contracts';
import { Status, Time } from '../../parts/values';

/** How the last rebuild or verification of a read model went. */
export function LastTask({ task }: { readonly task: ProjectionTask | null }) {
  if (task === null) return <p className="dim">Neither verified nor rebuilt since the service was started.</p>;
  const { kind, status, started_at: started, finished_at: finished, error, verification } = task;
  return (
    <div role="status" className="last-task">
      <p>
        {kind === 'rebuild' ? 'Rebuild' : 'Verification'} <Status of={status} /> <Time at={finished ?? started} />
      </p>
      {status === 'interrupted' && <p>The process that did it is gone. Begin it again.</p>}
      {error !== null && <p className="fault">{error}</p>}
      {verification !== null && (
        <>
          <p>
            {verification.different === 0
              ? `All ${verification.rows.toLocaleString()} rows are as the events make them.`
              : `${verification.different.toLocaleString()} of ${verification.rows.toLocaleString()} rows differ from what the events make. Rebuild it.`}
          </p>
          {verification.differences.length > 0 && (
            <ul>
              {verification.differences.map(({ collection, id, kind: how, members }) => (
                <li key={`${collection} ${id}`}>
                  <code>
                    {collection} {id}
                  </code>{' '}
                  is {how}
                  {members.length > 0 && `: ${members.join(', ')}`}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
