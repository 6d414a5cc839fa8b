import type { ProjectionTask } from '@sluice/contracts';
import { Status, Time } from '../../parts/values';
import * as texts from '../../texts/account';

/** How the last rebuild or verification of a read model went. */
export function LastTask({ task }: { readonly task: ProjectionTask | null }) {
  if (task === null) return <p className="dim">{texts.noTask}</p>;
  const { kind, status, started_at: started, finished_at: finished, error, verification } = task;
  return (
    <div role="status" className="last-task">
      <p>
        {kind === 'rebuild' ? texts.rebuildTask : texts.verifyTask} <Status of={status} />{' '}
        <Time at={finished ?? started} />
      </p>
      {status === 'interrupted' && <p>{texts.interrupted}</p>}
      {error !== null && <p className="fault">{error}</p>}
      {verification !== null && (
        <>
          <p>
            {verification.different === 0
              ? texts.same(verification.rows)
              : texts.different(verification.different, verification.rows)}
          </p>
          {verification.differences.length > 0 && (
            <ul>
              {verification.differences.map(({ collection, id, kind: how, members }) => (
                <li key={`${collection} ${id}`}>
                  <code>
                    {collection} {id}
                  </code>{' '}
                  {texts.differs(how, members)}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}
