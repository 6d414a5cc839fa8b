import type { App, Build } from '@sluice/contracts';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Facts, Section } from '../../../parts/page';
import { Empty, ErrorNote, Loading, NotFound } from '../../../parts/states';
import { useTitle } from '../../../parts/title';
import { Copyable, size, Time } from '../../../parts/values';
import { useWanted } from '../../../parts/wanted';
import { audience, audienceWords } from '../../../texts/audience';
import * as texts from '../../../texts/builds';
import * as channelTexts from '../../../texts/channels';
import { build as nameOf, buildId, platforms, yesOrNo } from '../../../texts/shared';
import { useBuild } from '../../builds/data';
import { usePinned } from './audience';
import { BuildDialogs, isUndoable, useBuildActions } from './build-dialogs';
import { BuildFilesSection } from './build-files';
import { BuildHistory } from './build-history';
import { actionsOn, BuildMenu, canPreview, isEncrypted } from './build-menu';
import { BuildStatsSections } from './build-stats';
import { StateAndHealth } from './health';
import { JobLife } from './job-life';
import { Metadata } from './origin';
import { HeldPlan, PlanSection } from './plan-section';
import { useTryBuild } from './preview-address';
import { RecallButton, RecallOfDeleted, RecallSection } from './recall-section';
import { isRecalled, isReplacement } from './serving';
import { meaningOf } from './state';

export function BuildPage({ app, id }: { readonly app: App; readonly id: number }) {
  const [, go] = useLocation();
  const build = useBuild(app, id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFound />;
  if (build.isPending) return <Loading what={texts.loadingBuild} />;
  return (
    <BuildDialogs app={app} gone={() => go(`/apps/${app.id}/builds`)}>
      <p>
        <Link to={`/apps/${app.id}/builds`}>{texts.allBuilds}</Link>
      </p>
      {build.isSuccess ? (
        <BuildDetails app={app} build={build.data} />
      ) : build.error instanceof ApiError && build.error.code === 'BUILD_NOT_FOUND' ? (
        <>
          <Empty title={texts.notFound(id)}>
            <p>{texts.notFoundHelp}</p>
          </Empty>
          <RecallOfDeleted app={app} id={id} />
        </>
      ) : (
        <ErrorNote error={build.error} retry={() => void build.refetch()} />
      )}
      {!build.isSuccess && <BuildHistory app={app} id={id} build={undefined} />}
    </BuildDialogs>
  );
}

function BuildDetails({ app, build }: { readonly app: App; readonly build: Build }) {
  const start = useBuildActions();
  const pins = usePinned(app, build);
  const trying = useTryBuild(app, build);
  const title = texts.title(nameOf(build), build.id);
  useTitle(`${title} · ${app.name}`);
  useWanted(({ what, isChosen }) => {
    if (what === 'try' && isChosen && canPreview(build)) trying.mutate();
    const wanted = actionsOn(build).find(({ kind, disabledReason }) => kind === what && disabledReason === undefined);
    if (wanted === undefined) return;
    const action = { kind: wanted.kind, build };
    if (isChosen || !isUndoable(action)) start(action);
  });
  const isChecked = build.status !== 'processing' && build.status !== 'failed';
  const check = build.job_id !== null && (
    <Section title={texts.check}>
      <JobLife app={app} id={build.job_id} version={build.version} />
    </Section>
  );
  return (
    <>
      <Section
        title={title}
        actions={
          <>
            {actionsOn(build).some(({ kind, disabledReason }) => kind === 'recall' && disabledReason === undefined) && (
              <RecallButton app={app} build={build} />
            )}
            <BuildMenu build={build} />
          </>
        }
      >
        <Facts
          wide
          facts={{
            [texts.state]: (
              <>
                <StateAndHealth app={app} build={build} /> <small className="dim">{meaningOf(build)}</small>{' '}
                <HeldPlan app={app.id} build={build.id} />
              </>
            ),
            [texts.rollout]: texts.percent(build.rollout_percentage ?? 100),
            [audience]: audienceWords(build, build.rollout_percentage ?? 100, pins),
          }}
        />
        {canPreview(build) && (
          <p>
            <Button busy={trying.isPending} onClick={() => trying.mutate()}>
              {channelTexts.tryOut}
            </Button>
          </p>
        )}
        {trying.error !== null && <ErrorNote error={trying.error} />}
      </Section>
      {(isRecalled(build) || (isReplacement(build) && build.status === 'active')) && (
        <RecallSection app={app} build={build} />
      )}
      {isChecked ? <BuildStatsSections app={app} build={build} /> : check}
      <Section
        title={texts.releaseNotes}
        actions={<Button onClick={() => start({ kind: 'edit', build })}>{texts.edit}</Button>}
      >
        {build.release_notes === null || build.release_notes === '' ? (
          <p className="dim">{texts.noNotes}</p>
        ) : (
          <p className="notes">{build.release_notes}</p>
        )}
      </Section>
      {isChecked && <BuildFilesSection app={app} build={build} />}
      <PlanSection app={app} build={build} />
      <BuildHistory app={app} id={build.id} build={build} />
      <Details app={app} build={build} />
      <Metadata metadata={build.metadata} />
      {isChecked && check}
    </>
  );
}

function Details({ app, build }: { readonly app: App; readonly build: Build }) {
  return (
    <Section title={texts.details}>
      <Facts
        facts={{
          [texts.mandatory]: yesOrNo(build.mandatory),
          ...(typeof build.native_range === 'string'
            ? { [texts.nativeRange]: <code>{build.native_range}</code> }
            : { [texts.minNative]: build.min_native_version ?? <None /> }),
          ...(typeof build.fingerprint === 'string' && { [texts.fingerprint]: <code>{build.fingerprint}</code> }),
          [texts.delivery]: isEncrypted(build) ? texts.encrypted(build.delivery?.capgo.key_id) : texts.plain,
          [texts.platform]: platforms[(build as Partial<Build>).platform ?? 'all'],
          [texts.size]: build.file_size === null ? <None /> : size(build.file_size),
          [texts.created]: <Time at={build.created_at} />,
          [texts.changed]: <Time at={build.updated_at} />,
          [texts.source]: <Source app={app} build={build} />,
        }}
      />
      <details>
        <summary>{texts.verify}</summary>
        <Facts
          wide
          facts={{
            [texts.checksum(build.checksum_algorithm)]:
              build.checksum === null ? <None /> : <Copyable text={build.checksum} label={texts.theChecksum} />,
            [texts.signature]:
              build.signature === null ? (
                <span className="dim">{texts.unsigned}</span>
              ) : (
                <Copyable text={build.signature} label={texts.theSignature} block />
              ),
          }}
        />
      </details>
    </Section>
  );
}

const None = () => <span className="dim">{texts.none}</span>;

function Source({ app, build }: { readonly app: App; readonly build: Build }) {
  const { promoted_from_id: promoted, republished_from_id: republished, recall_of: recalled } = build;
  const link = (id: number) => <Link to={`/apps/${app.id}/builds/${id}`}>{buildId(id)}</Link>;
  if (isReplacement(build)) return texts.republishedFrom(link(republished ?? 0), link(recalled ?? 0));
  return promoted === null ? texts.notPromoted : texts.promotedFrom(link(promoted));
}
