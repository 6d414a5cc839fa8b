import type { App, BuildStatus, Channel } from '@sluice/contracts';
import { Link, Route, Switch, useSearchParams } from 'wouter';
import { Button } from '../../../parts/button';
import { SelectField } from '../../../parts/form';
import { numbers, rowHead, Table, unseen } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Empty } from '../../../parts/states';
import { Badge, size, Time } from '../../../parts/values';
import { BuildPage } from './build-page';
import { BuildDialogs, useAsk } from './build-dialogs';
import { BuildMenu } from './build-menu';
import { CHANNELS, STATUSES, useBuilds } from '../../builds/data';
import { State } from './state';
import './releases.css';

/** All builds of an app, and each of them. */
export function Builds({ app }: { readonly app: App }) {
  return (
    <Switch>
      <Route path="/apps/:app/builds">
        <BuildDialogs app={app}>
          <BuildList app={app} />
        </BuildDialogs>
      </Route>
      <Route path="/apps/:app/builds/:build">
        {({ build }) => <BuildPage key={build} app={app} id={Number(build)} />}
      </Route>
    </Switch>
  );
}

function BuildList({ app }: { readonly app: App }) {
  const ask = useAsk();
  const [search, setSearch] = useSearchParams();
  const channel = CHANNELS.map(([each]) => each).find((each) => each === search.get('channel'));
  const status = STATUSES.map(([each]) => each).find((each) => each === search.get('status'));
  const page = Math.max(1, Number.parseInt(search.get('page') ?? '1', 10) || 1);
  const builds = useBuilds(app, { channel, status, page });
  const change = (member: 'channel' | 'status' | 'page', value: string): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (member !== 'page') next.delete('page');
      if (value === '') next.delete(member);
      else next.set(member, value);
      return next;
    });
  const isFiltered = channel !== undefined || status !== undefined;
  return (
    <>
      <div className="filters">
        <SelectField<Channel | ''>
          name="channel"
          label="Channel"
          value={channel ?? ''}
          change={(value) => change('channel', value)}
          options={[['', 'All'], ...CHANNELS]}
        />
        <SelectField<BuildStatus | ''>
          name="status"
          label="Status"
          value={status ?? ''}
          change={(value) => change('status', value)}
          options={[['', 'All'], ...STATUSES]}
        />
        <Button kind="primary" onClick={() => ask({ kind: 'upload', channel: channel ?? 'staging' })}>
          Upload a build
        </Button>
      </div>
      <Listed
        of={builds}
        turn={(next) => change('page', String(next))}
        what="the builds"
        empty={
          isFiltered ? (
            <Empty title="No build like that">
              <p>No build has this channel and status. Choose others.</p>
            </Empty>
          ) : (
            <Empty title="No build yet">
              <p>
                A build is a zip of your app’s web files with a version. Upload one: devices get it once it is checked.
              </p>
            </Empty>
          )
        }
      >
        {(rows) => (
          <div className="builds">
            <Table
              label="Builds, newest first"
              rows={rows}
              columns={[
                [rowHead('Version'), ({ id, version }) => <Link to={`/apps/${app.id}/builds/${id}`}>{version}</Link>],
                [{ name: 'Build', className: 'dim' }, ({ id }) => `#${id}`],
                ['Channel', (build) => build.channel],
                [
                  'State',
                  (build) => (
                    <>
                      <State of={build} /> {build.mandatory && <Badge tone="dim">mandatory</Badge>}
                    </>
                  ),
                ],
                [numbers('Size'), ({ file_size: bytes }) => (bytes === null ? '' : size(bytes))],
                ['Made', (build) => <Time at={build.created_at} />],
                [unseen('Actions'), (build) => <BuildMenu build={build} />],
              ]}
            />
          </div>
        )}
      </Listed>
    </>
  );
}
