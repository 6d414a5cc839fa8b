import { useQuery } from '@tanstack/react-query';
import type { DiagnosticCheck, Repair as RepairReply } from '@sluice/contracts';
import { Button, LinkButton } from '../../parts/button';
import { Modal } from '../../parts/dialog';
import { useSend } from '../../parts/send';
import { QueryState } from '../../parts/states';
import * as texts from '../../texts/listings/diagnostics';
import { close as closeVerb } from '../../texts/parts';
import { ModuleError } from './module-error';
import { usePlane } from './plane';
import { ALL_SHOWN, REMOTE } from './queries';

export interface RepairScope {
  /** Undefined: all checks. */
  readonly checks?: readonly DiagnosticCheck[];
}

/** Shows the effect of a repair, and repairs after a confirmation. */
export function Repair({ scope, close }: { readonly scope: RepairScope | undefined; readonly close: () => void }) {
  const name = scope?.checks?.map((check) => texts.checks[check]).join(', ');
  return (
    <Modal title={name === undefined ? texts.repair : texts.repairOf(name)} open={scope !== undefined} close={close}>
      {scope !== undefined && <Steps scope={scope} close={close} />}
    </Modal>
  );
}

function Steps({ scope, close }: { readonly scope: RepairScope; readonly close: () => void }) {
  const plane = usePlane();
  const plan = useQuery({
    queryKey: [REMOTE, null, 'repair', scope],
    queryFn: () => plane.post<RepairReply>('/diagnostics/repair', { ...scope, dry_run: true }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const repair = useSend(() => plane.post<RepairReply>('/diagnostics/repair', scope), {
    refresh: ALL_SHOWN,
    awaited: true,
  });
  if (repair.data !== undefined) return <Done reply={repair.data} close={close} />;
  return (
    <>
      <QueryState of={plan} what={texts.loadingPlan} note={ModuleError} />
      {plan.data !== undefined && <Planned reply={plan.data} />}
      {repair.error !== null && <ModuleError error={repair.error} />}
      <footer className="buttons">
        <Button onClick={close}>{closeVerb}</Button>
        {plan.data !== undefined && plan.data.repairs.length > 0 && (
          <Button kind="primary" busy={repair.isPending} onClick={() => repair.mutate()}>
            {texts.repairNow}
          </Button>
        )}
      </footer>
    </>
  );
}

function Planned({ reply: { repairs } }: { readonly reply: RepairReply }) {
  if (repairs.length === 0) {
    return <p>{texts.noRepairs}</p>;
  }
  return (
    <>
      <p>{texts.plan}</p>
      <ul>
        {repairs.map(({ id, message, count }) => (
          <li key={id}>
            <strong>{texts.checks[id]}</strong> {texts.plannedCount(count)}: {message}
          </li>
        ))}
      </ul>
    </>
  );
}

function Done({ reply, close }: { readonly reply: RepairReply; readonly close: () => void }) {
  return (
    <>
      <p role="status">{reply.log_id === null ? texts.nothingToRepair : texts.repairStarted}</p>
      <footer className="buttons">
        <Button onClick={close}>{closeVerb}</Button>
        {reply.log_id !== null && (
          <LinkButton to={`/listings-ads/sync/${reply.log_id}`} kind="primary">
            {texts.showRun}
          </LinkButton>
        )}
      </footer>
    </>
  );
}
