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
import { useWanted } from '../../parts/wanted';
import * as texts from '../../texts/tokens';
import { InCi } from './in-ci';
import { useOwnedApps } from './owned-apps';
import { permissionLabel } from './permissions';
import { TokenDialogs, type TokenAct } from './token-dialogs';
import './tokens.css';

/** More apps than this are shown as a number. */
const NAMED = 3;

/** Access Tokens: what scripts and CI sign in with. */
export default function Tokens() {
  const [act, setAct] = useState<TokenAct>();
  const { list: tokens, turn } = usePaged<AccessToken>('/tokens', ['tokens', null], {
    // When a token was last used is no event.
    refetchInterval: 15_000,
  });
  const apps = useOwnedApps();
  useWanted(({ what }) => {
    if (what === 'create') setAct({ kind: 'make' });
  });
  const make = (
    <Button kind="primary" onClick={() => setAct({ kind: 'make' })}>
      {texts.newToken}
    </Button>
  );
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} actions={make} />
      <QueryState of={tokens} what={texts.loading} />
      {tokens.data?.meta.total === 0 && (
        <Empty title={texts.noTokens}>
          <p>{texts.firstToken}</p>
          {make}
        </Empty>
      )}
      {tokens.data !== undefined && tokens.data.data.length > 0 && (
        <div className="card">
          <Table
            stacks
            label={texts.title}
            rows={tokens.data.data}
            columns={[
              [rowHead(texts.name), (token) => <Name>{token.name}</Name>],
              [texts.status, (token) => <Status of={token.status} />],
              [texts.extraPermissions, (token) => <Permissions of={token} />],
              [texts.apps, (token) => <Name>{reachOf(token, apps.data ?? [])}</Name>],
              [texts.lastUsed, (token) => <Time at={token.last_used_at} />],
              [texts.expires, (token) => <Time at={token.expires_at} ahead />],
              [unseen(texts.actions), (token) => <TokenActions token={token} act={setAct} />],
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
  const disabledReason = token.status === 'revoked' ? texts.staysRevoked : undefined;
  return (
    <Actions
      label={texts.actionsFor(token.name)}
      entries={[
        { name: texts.edit, act: () => act({ kind: 'edit', token }), disabledReason },
        { name: texts.rotate, act: () => act({ kind: 'rotate', token }), danger: true, disabledReason },
        { name: texts.revoke, act: () => act({ kind: 'revoke', token }), danger: true, disabledReason },
      ]}
    />
  );
}

function Permissions({ of: { permissions } }: { readonly of: AccessToken }) {
  const given = permissions.filter((permission) => permission !== 'manage');
  if (given.length === 0) return <span className="dim">{texts.noPermissions}</span>;
  return (
    <ul className="plain-list">
      {given.map((name) => (
        <li key={name}>{permissionLabel(name)}</li>
      ))}
    </ul>
  );
}

function reachOf({ all_apps: all, apps: ids }: AccessToken, apps: readonly OwnedApp[]): string {
  if (all) return texts.allApps;
  if (ids.length === 0) return texts.ownApps;
  const names = ids.slice(0, NAMED).map((id) => apps.find((app) => app.id === id)?.name ?? texts.unnamedApp(id));
  return ids.length > NAMED ? texts.andMore(names.join(', '), ids.length - NAMED) : names.join(', ');
}
