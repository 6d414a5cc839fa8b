import type { App, Build, BuildStatus, Channel } from '@sluice/contracts';
import { Link, Route, Switch, useSearchParams } from 'wouter';
import { Button } from '../../../parts/button';
import { SelectField } from '../../../parts/form';
import { numbers, rowHead, Table, unseen } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Empty } from '../../../parts/states';
import { Badge, size, Time } from '../../../parts/values';
import * as texts from '../../../texts/builds';
import { channelsOf, STATUSES, useBuilds } from '../../builds/data';
import { BuildDialogs, useBuildActions } from './build-dialogs';
import { BuildMenu } from './build-menu';
import { BuildPage } from './build-page';
import { Commit, hasCommit } from './origin';
import { StateAndHealth } from './health';
import { PlanSign } from './plan-section';
import { RecallWords } from './state';
import './releases.css';

/** The list of all builds of an app, and the page of each. */
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
  const start = useBuildActions();
  const [search, setSearch] = useSearchParams();
  const channel = app.channels.find((each) => each === search.get('channel'));
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
        <SelectField<Channel>
          name="channel"
          label={texts.channel}
          value={channel ?? ''}
          change={(value) => change('channel', value)}
          options={[['', texts.all], ...channelsOf(app)]}
        />
        <SelectField<BuildStatus | ''>
          name="status"
          label={texts.status}
          value={status ?? ''}
          change={(value) => change('status', value)}
          options={[['', texts.all], ...STATUSES]}
        />
        <Button kind="primary" onClick={() => start({ kind: 'upload', channel: channel ?? 'staging' })}>
          {texts.upload}
        </Button>
      </div>
      <Listed
        of={builds}
        turn={(next) => change('page', String(next))}
        what={texts.loading}
        empty={
          isFiltered ? (
            <Empty title={texts.noMatch}>
              <p>{texts.noMatchHelp}</p>
            </Empty>
          ) : (
            <Empty title={texts.noBuild}>
              <p>{texts.noBuildHelp}</p>
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            stacks
            label={texts.newestFirst}
            rows={rows}
            columns={[
              [rowHead(texts.version), ({ id, version }) => <Link to={`/apps/${app.id}/builds/${id}`}>{version}</Link>],
              [{ name: texts.build, className: 'dim' }, ({ id }) => id],
              [texts.channel, ({ channel }) => channel],
              [
                texts.state,
                (build) => (
                  <>
                    <StateAndHealth app={app} build={build} />{' '}
                    {build.mandatory && <Badge tone="dim">{texts.mandatoryBadge}</Badge>}{' '}
                    <PlanSign app={app.id} build={build.id} /> <RecallWords of={build} />
                  </>
                ),
              ],
              ...(rows.some(hasCommit)
                ? [[texts.commit, ({ metadata }: Build) => <Commit metadata={metadata} />] as const]
                : []),
              [numbers(texts.size), ({ file_size: bytes }) => (bytes === null ? '' : size(bytes))],
              [texts.created, (build) => <Time at={build.created_at} />],
              [unseen(texts.actions), (build) => <BuildMenu build={build} />],
            ]}
          />
        )}
      </Listed>
    </>
  );
}
