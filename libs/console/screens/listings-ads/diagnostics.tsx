import type { Diagnostic } from '@sluice/contracts';
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { Badge, type Tone } from '../../parts/values';
import { CHECK_NAMES } from './checks';
import { OAuthClient } from './oauth-client';
import { REMOTE, usePlaneQuery } from './queries';
import { ConnectButton, Refused, StoreNeeds } from './refused';
import { Repair, type RepairOrder } from './repair';

/** Problems of the connection, the account, the runs and the offers, and their repair. */
export function Diagnostics() {
  const [order, setOrder] = useState<RepairOrder>();
  const diagnostics = usePlaneQuery<{ readonly checks: readonly Diagnostic[] }>('/diagnostics', REMOTE);
  const checks = diagnostics.data?.checks ?? [];
  const wrong = checks.filter(({ status }) => status !== 'ok');
  const untried = checks.filter(({ tried }) => !tried);
  return (
    <>
      <Section
        title="Diagnostics"
        actions={
          <>
            <Button busy={diagnostics.isFetching} onClick={() => void diagnostics.refetch()}>
              Check again
            </Button>
            <Button kind="primary" onClick={() => setOrder({})}>
              Repair …
            </Button>
          </>
        }
      >
        <QueryState of={diagnostics} what="the checks, with requests to Google" note={Refused} />
        {diagnostics.data !== undefined && (
          <p role="status">
            {wrong.length === 0 ? 'Nothing is wrong.' : `${wrong.length} of ${checks.length} checks found a problem.`}
            {untried.length > 0 && ` ${untried.length} could not be tried.`}
          </p>
        )}
        <ul className="check-list">
          {[...wrong, ...untried, ...checks.filter(({ status, tried }) => status === 'ok' && tried)].map((check) => (
            <Check key={check.id} check={check} repair={() => setOrder({ checks: [check.id] })} />
          ))}
        </ul>
      </Section>
      <Repair order={order} close={() => setOrder(undefined)} />
    </>
  );
}

const TONES: Readonly<Record<Diagnostic['status'], readonly [Tone, string]>> = {
  ok: ['good', 'well'],
  warning: ['warn', 'warning'],
  error: ['bad', 'error'],
};

function Check({ check, repair }: { readonly check: Diagnostic; readonly repair: () => void }) {
  const [tone, word] = check.tried ? TONES[check.status] : (['dim', 'not tried'] as const);
  return (
    <li>
      <div>
        <h3>
          {CHECK_NAMES[check.id]} <Badge tone={tone}>{word}</Badge>
        </h3>
        <p>
          {check.message}
          {check.count > 1 && <small> {check.count.toLocaleString()} of them.</small>}
        </p>
        {check.status !== 'ok' && <Mend id={check.id} />}
      </div>
      {check.repairable && (
        <Button onClick={repair} aria-label={`Repair: ${CHECK_NAMES[check.id]}`}>
          Repair
        </Button>
      )}
    </li>
  );
}

/** What a person does about it, where no repair can. */
function Mend({ id }: Pick<Diagnostic, 'id'>) {
  switch (id) {
    case 'oauth_client_missing':
      return <OAuthClient />;
    case 'store_missing':
      return <StoreNeeds />;
    case 'not_connected':
      return <ConnectButton />;
    case 'scope_missing':
    case 'token_undecryptable':
    case 'refresh_failed':
      return <ConnectButton again />;
    default:
      return null;
  }
}
