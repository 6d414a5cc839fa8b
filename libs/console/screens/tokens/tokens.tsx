import { useQuery } from '@tanstack/react-query';
import type { AccessToken, OwnedApp } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../api/client';
import { Button } from '../../parts/button';
import { Actions } from '../../parts/menu';
import { Name } from '../../parts/name';
import { ACTIONS, PageHead, Table } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Empty, ErrorNote, Loading } from '../../parts/states';
import { Status, Time } from '../../parts/values';
import { InCi } from './in-ci';
import { useOwnedApps } from './owned-apps';
import { TokenDialogs, type TokenAct } from './token-dialogs';
import './tokens.css';

/** More apps than this are told by their number. */
const NAMED = 3;

/** Access Tokens: what scripts and CI sign in with. */
export default function Tokens() {
  const [page, setPage] = useState(1);
  const [act, setAct] = useState<TokenAct>();
  const [shown, setShown] = useState<ShownSecret>();
  const tokens = useQuery({
    queryKey: ['tokens', null, page],
    queryFn: () => api.list<AccessToken>(`/tokens${query({ page, per_page: 50 })}`),
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
      {tokens.isPending && <Loading what="the tokens" />}
      {tokens.isError && <ErrorNote error={tokens.error} again={() => void tokens.refetch()} />}
      {tokens.data?.meta.total === 0 && (
        <Empty title="No access token yet">
          <p>Make one for the CI that releases your app: it uploads builds, promotes them and steers rollouts.</p>
          {make}
        </Empty>
      )}
      {tokens.data !== undefined && tokens.data.data.length > 0 && (
        <div className="card">
          <Table label="Access tokens" head={['Name', 'Status', 'May also', 'Apps', 'Last used', 'Ends', ACTIONS]}>
            {tokens.data.data.map((token) => (
              <Row key={token.id} token={token} apps={apps.data ?? []} act={setAct} />
            ))}
          </Table>
          <Pager meta={tokens.data.meta} turn={setPage} />
        </div>
      )}
      <InCi />
      <TokenDialogs act={act} close={() => setAct(undefined)} show={setShown} />
      <SecretDialog shown={shown} close={() => setShown(undefined)} />
    </>
  );
}

function Row({
  token,
  apps,
  act,
}: {
  readonly token: AccessToken;
  readonly apps: readonly OwnedApp[];
  readonly act: (act: TokenAct) => void;
}) {
  const given = token.permissions.filter((permission) => permission !== 'manage');
  const refused = token.status === 'revoked' ? 'A revoked token stays revoked.' : undefined;
  return (
    <tr>
      <th scope="row">
        <Name>{token.name}</Name>
      </th>
      <td>
        <Status of={token.status} />
      </td>
      <td>{given.length === 0 ? <span className="dim">nothing more</span> : <Permissions names={given} />}</td>
      <td>
        <Name>{reachOf(token, apps)}</Name>
      </td>
      <td>
        <Time at={token.last_used_at} />
      </td>
      <td>
        <Time at={token.expires_at} />
      </td>
      <td>
        <Actions
          label={`Actions for ${token.name}`}
          entries={[
            { name: 'Change', act: () => act({ kind: 'edit', token }), refused },
            { name: 'Rotate', act: () => act({ kind: 'rotate', token }), danger: true, refused },
            { name: 'Revoke', act: () => act({ kind: 'revoke', token }), danger: true, refused },
          ]}
        />
      </td>
    </tr>
  );
}

function Permissions({ names }: { readonly names: readonly string[] }) {
  return (
    <ul className="plain-list">
      {names.map((name) => (
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
