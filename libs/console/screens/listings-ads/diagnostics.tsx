import type { Diagnostic } from '@sluice/contracts';
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { Badge, type Tone } from '../../parts/values';
import * as texts from '../../texts/listings/diagnostics';
import { ConnectButton, ModuleError, ShopSettings } from './module-error';
import { OAuthClient } from './oauth-client';
import { REMOTE, usePlaneQuery } from './queries';
import { Repair, type RepairScope } from './repair';

/** Problems of the connection, the account, the runs and the offers, and their repair. */
export function Diagnostics() {
  const [scope, setScope] = useState<RepairScope>();
  const diagnostics = usePlaneQuery<{ readonly checks: readonly Diagnostic[] }>('/diagnostics', REMOTE);
  const checks = diagnostics.data?.checks ?? [];
  const wrong = checks.filter(({ status }) => status !== 'ok');
  const notRun = checks.filter(({ tried }) => !tried);
  return (
    <>
      <Section
        title={texts.title}
        actions={
          <>
            <Button busy={diagnostics.isFetching} onClick={() => void diagnostics.refetch()}>
              {texts.checkAgain}
            </Button>
            {wrong.some(({ repairable }) => repairable) && (
              <Button kind="primary" onClick={() => setScope({})}>
                {texts.repairAll}
              </Button>
            )}
          </>
        }
      >
        <QueryState of={diagnostics} what={texts.loading} note={ModuleError} />
        {diagnostics.data !== undefined && (
          <p role="status">{texts.summary(wrong.length, checks.length, notRun.length)}</p>
        )}
        <ul className="check-list">
          {[...wrong, ...notRun, ...checks.filter(({ status, tried }) => status === 'ok' && tried)].map((check) => (
            <Check key={check.id} check={check} repair={() => setScope({ checks: [check.id] })} />
          ))}
        </ul>
      </Section>
      <Repair scope={scope} close={() => setScope(undefined)} />
    </>
  );
}

const TONES: Readonly<Record<Diagnostic['status'], Tone>> = { ok: 'good', warning: 'warn', error: 'bad' };

function Check({ check, repair }: { readonly check: Diagnostic; readonly repair: () => void }) {
  return (
    <li>
      <div>
        <h3>
          {texts.checks[check.id]}{' '}
          <Badge tone={check.tried ? TONES[check.status] : 'dim'}>
            {check.tried ? texts.results[check.status] : texts.notRun}
          </Badge>
        </h3>
        <p>
          {check.message}
          {check.count > 1 && <small> {texts.affected(check.count)}</small>}
        </p>
        {check.status !== 'ok' && <Remedy id={check.id} />}
      </div>
      {check.repairable && (
        <Button onClick={repair} aria-label={texts.repairOf(texts.checks[check.id])}>
          {texts.repair}
        </Button>
      )}
    </li>
  );
}

/** What a person can do if a repair can't fix the problem. */
function Remedy({ id }: Pick<Diagnostic, 'id'>) {
  switch (id) {
    case 'oauth_client_missing':
      return <OAuthClient />;
    case 'store_missing':
      return <ShopSettings />;
    case 'not_connected':
      return <ConnectButton />;
    case 'scope_missing':
    case 'token_undecryptable':
    case 'refresh_failed':
      return <ConnectButton reconnect />;
    default:
      return null;
  }
}
