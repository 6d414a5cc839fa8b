import { useQuery } from '@tanstack/react-query';
import type { DiagnosticCheck, Repair as RepairReply } from '@sluice/contracts';
import { Button, LinkButton } from '../../parts/button';
import { Modal } from '../../parts/dialog';
import { useSend } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { CHECK_NAMES } from './checks';
import { usePlane } from './plane';
import { ALL_SHOWN, REMOTE } from './queries';
import { Refused } from './refused';

export interface RepairOrder {
  /** Left out: all of them. */
  readonly checks?: readonly DiagnosticCheck[];
}

/** Shows what a repair would do, and does it when a person says so. */
export function Repair({ order, close }: { readonly order: RepairOrder | undefined; readonly close: () => void }) {
  const name = order?.checks?.map((check) => CHECK_NAMES[check]).join(', ');
  return (
    <Modal title={name === undefined ? 'Repair' : `Repair: ${name}`} open={order !== undefined} close={close}>
      {order !== undefined && <Steps order={order} close={close} />}
    </Modal>
  );
}

function Steps({ order, close }: { readonly order: RepairOrder; readonly close: () => void }) {
  const plane = usePlane();
  const plan = useQuery({
    queryKey: [REMOTE, null, 'repair', order],
    queryFn: () => plane.post<RepairReply>('/diagnostics/repair', { ...order, dry_run: true }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const repair = useSend(() => plane.post<RepairReply>('/diagnostics/repair', order), {
    refresh: ALL_SHOWN,
    awaited: true,
  });
  if (repair.data !== undefined) return <Done reply={repair.data} close={close} />;
  return (
    <>
      <QueryState of={plan} what="what a repair would do" note={Refused} />
      {plan.data !== undefined && <Planned reply={plan.data} />}
      {repair.error !== null && <Refused error={repair.error} />}
      <footer className="buttons">
        <Button onClick={close}>Close</Button>
        {plan.data !== undefined && plan.data.repairs.length > 0 && (
          <Button kind="primary" busy={repair.isPending} onClick={() => repair.mutate()}>
            Repair now
          </Button>
        )}
      </footer>
    </>
  );
}

function Planned({ reply: { repairs } }: { readonly reply: RepairReply }) {
  if (repairs.length === 0) {
    return <p>A repair can fix none of these problems. Each one shows what to do.</p>;
  }
  return (
    <>
      <p>Nothing was changed yet. A repair would fix these problems, by a sync that starts immediately:</p>
      <ul>
        {repairs.map(({ id, message, count }) => (
          <li key={id}>
            <strong>{CHECK_NAMES[id]}</strong> ({count.toLocaleString()}): {message}
          </li>
        ))}
      </ul>
    </>
  );
}

function Done({ reply, close }: { readonly reply: RepairReply; readonly close: () => void }) {
  return (
    <>
      <p role="status">
        {reply.log_id === null
          ? 'There was nothing to repair.'
          : 'The repair continues as a run. Its log shows the result.'}
      </p>
      <footer className="buttons">
        <Button onClick={close}>Close</Button>
        {reply.log_id !== null && (
          <LinkButton to={`/listings-ads/sync/${reply.log_id}`} kind="primary">
            To the run
          </LinkButton>
        )}
      </footer>
    </>
  );
}
