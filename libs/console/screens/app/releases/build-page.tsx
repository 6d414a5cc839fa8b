import type { App, Build } from '@sluice/contracts';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Facts, Section } from '../../../parts/page';
import { Empty, ErrorNote, Loading, NotFound } from '../../../parts/states';
import { useTitle } from '../../../parts/title';
import { Copyable, size, Time } from '../../../parts/values';
import { BuildDialogs, useAsk } from './build-dialogs';
import { BuildHistory } from './build-history';
import { BuildMenu } from './build-menu';
import { BuildStatsSection } from './build-stats';
import { useBuild } from '../../builds/data';
import { JobLife } from './job-life';
import { State } from './state';

export function BuildPage({ app, id }: { readonly app: App; readonly id: number }) {
  const [, go] = useLocation();
  const build = useBuild(app, id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFound />;
  if (build.isPending) return <Loading what="the build" />;
  return (
    <BuildDialogs app={app} gone={() => go(`/apps/${app.id}/builds`)}>
      <p>
        <Link to={`/apps/${app.id}/builds`}>← All builds</Link>
      </p>
      {build.isSuccess ? (
        <Whole app={app} build={build.data} />
      ) : build.error instanceof ApiError && build.error.code === 'BUILD_NOT_FOUND' ? (
        <Empty title={`There is no build #${id}`}>
          <p>If it was one and is deleted, its history is all that is left.</p>
        </Empty>
      ) : (
        <ErrorNote error={build.error} again={() => void build.refetch()} />
      )}
      <BuildHistory app={app} id={id} />
    </BuildDialogs>
  );
}

function Whole({ app, build }: { readonly app: App; readonly build: Build }) {
  const ask = useAsk();
  const title = `Build ${build.version} of ${build.channel}, #${build.id}`;
  useTitle(`${title} · ${app.name}`);
  return (
    <>
      <Section title={title} actions={<BuildMenu build={build} />}>
        <Facts
          facts={{
            State: <State of={build} />,
            Rollout: `${build.rollout_percentage ?? 100} %`,
            Mandatory: build.mandatory ? 'yes' : 'no',
            'Minimum native version': build.min_native_version ?? <None />,
            Size: build.file_size === null ? <None /> : size(build.file_size),
            Made: <Time at={build.created_at} />,
            Changed: <Time at={build.updated_at} />,
            'Promoted from': <Source app={app} build={build} />,
          }}
        />
        <Facts
          wide
          facts={{
            [`Checksum (${build.checksum_algorithm ?? 'none'})`]:
              build.checksum === null ? <None /> : <Copyable text={build.checksum} label="the checksum" />,
            Signature:
              build.signature === null ? (
                <span className="dim">none: devices that insist on one refuse it</span>
              ) : (
                <Copyable text={build.signature} label="the signature" block />
              ),
          }}
        />
      </Section>
      <Section title="Release notes" actions={<Button onClick={() => ask({ kind: 'edit', build })}>Edit</Button>}>
        {build.release_notes === null || build.release_notes === '' ? (
          <p className="dim">None. Devices are given them with the update.</p>
        ) : (
          <p className="notes">{build.release_notes}</p>
        )}
      </Section>
      {build.job_id !== null && (
        <Section title="Check of the bundle">
          <JobLife app={app} id={build.job_id} version={build.version} />
        </Section>
      )}
      <BuildStatsSection app={app} id={build.id} />
    </>
  );
}

const None = () => <span className="dim">none</span>;

function Source({ app, build: { promoted_from_id: id } }: { readonly app: App; readonly build: Build }) {
  return id === null ? <None /> : <Link to={`/apps/${app.id}/builds/${id}`}>build #{id}</Link>;
}
