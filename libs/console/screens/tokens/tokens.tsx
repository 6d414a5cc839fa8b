import type { AccessToken, OwnedApp } from '@sluice/contracts';
import { useState } from 'react';
import { usePaged } from '../../api/queries';
import { Button } from '../../parts/button';
import { Actions } from '../../parts/menu';
import { Name } from '../../parts/name';
import { PageHead, rowHead, Table, unseen } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { Empty, QueryState } from '../../parts/states';
import { Status, Time } from '../../parts/values';
import { InCi } from './in-ci';
import { useOwnedApps } from './owned-apps';
import { TokenDialogs, type TokenAct } from './token-dialogs';
import './tokens.css';

/** More apps than this are told by their number. */
const NAMED = 3;

/** Access Tokens: what scripts and CI sign in with. */
export default function Tokens() {
  const [act, setAct] = useState<TokenAct>();
  const { list: tokens, turn } = usePaged<AccessToken>('/tokens', ['tokens', null], {
    // When a token was last used is no event.
    refetchInterval: 15_000,
  });
  const apps = useOwnedApps();
  const make = (
    <Button kind="primary" onClick={() => setAct({ kind: 'make' })}>
      New access token
    </Button>
  );
  return (
    <>
      <PageHead title="Access tokens" lead="What CI, scripts and agents sign in with." actions={make} />
      <QueryState of={tokens} what="the tokens" />
      {tokens.data?.meta.total === 0 && (
        <Empty title="No access token yet">
          <p>Make one for the CI that releases your app: it uploads builds, promotes them and steers rollouts.</p>
          {make}
        </Empty>
      )}
      {tokens.data !== undefined && tokens.data.data.length > 0 && (
        <div className="card">
          <Table
            label="Access tokens"
            rows={tokens.data.data}
            columns={[
              [rowHead('Name'), (token) => <Name>{token.name}</Name>],
              ['Status', (token) => <Status of={token.status} />],
              ['May also', (token) => <Permissions of={token} />],
              ['Apps', (token) => <Name>{reachOf(token, apps.data ?? [])}</Name>],
              ['Last used', (token) => <Time at={token.last_used_at} />],
              ['Ends', (token) => <Time at={token.expires_at} />],
              [unseen('Actions'), (token) => <TokenActions token={token} act={setAct} />],
            ]}
          />
          <Pager meta={tokens.data.meta} turn={turn} />
        </div>
      )}
      <InCi />
      <TokenDialogs act={act} close={() => setAct(undefined)} />
    </>
  );
}

function TokenActions({ token, act }: { readonly token: AccessToken; readonly act: (act: TokenAct) => void }) {
  const refused = token.status === 'revoked' ? 'A revoked token stays revoked.' : undefined;
  return (
    <Actions
      label={`Actions for ${token.name}`}
      entries={[
        { name: 'Change', act: () => act({ kind: 'edit', token }), refused },
        { name: 'Rotate', act: () => act({ kind: 'rotate', token }), danger: true, refused },
        { name: 'Revoke', act: () => act({ kind: 'revoke', token }), danger: true, refused },
      ]}
    />
  );
}

function Permissions({ of: { permissions } }: { readonly of: AccessToken }) {
  const given = permissions.filter((permission) => permission !== 'manage');
  if (given.length === 0) return <span className="dim">nothing more</span>;
  return (
    <ul className="plain-list">
      {given.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}

function reachOf({ all_apps: all, apps: ids }: AccessToken, apps: readonly OwnedApp[]): string {
  if (all) return 'All, later ones too';
  if (ids.length === 0) return 'Those that it makes itself';
  const names = ids.slice(0, NAMED).map((id) => apps.find((app) => app.id === id)?.name ?? `app ${id}`);
  return ids.length > NAMED ? `${names.join(', ')} and ${ids.length - NAMED} more` : names.join(', ');
}
