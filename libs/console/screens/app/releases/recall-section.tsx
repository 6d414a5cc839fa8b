import type { App, Build } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../../api/client';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Button } from '../../../parts/button';
import { Facts, Section } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/recall';
import { build as nameOf, buildId } from '../../../texts/shared';
import { useBuildHealth } from '../../builds/data';
import { useBuildActions } from './build-dialogs';
import { useRecall, type RecallStatus } from './recall-dialog';
import { isReplacement } from './serving';

interface RecallProps {
  readonly app: App;
  /** A recalled build, or one that replaces a recalled one. */
  readonly build: Build;
}

/** On cards and the page of a build that devices may run. */
export function RecallButton({ app, build }: RecallProps) {
  const start = useBuildActions();
  const health = useBuildHealth(app, build.id)?.health;
  return (
    <Button
      kind={health === 'failing' || health === 'watch' ? 'danger' : 'plain'}
      onClick={() => start({ kind: 'recall', build })}
    >
      {texts.recall}
    </Button>
  );
}

/** On the card of a build: why it is recalled or republished, to what devices go, and how far they are. */
export function RecallLines({ app, build }: RecallProps) {
  const isOther = isReplacement(build);
  const recall = useFreshRecall(app, build.recall_of ?? build.id);
  if (isOther) {
    if (recall === undefined) return <p>{texts.replacementFor(build.recall_of ?? 0)}</p>;
    const { id, version } = recall.build;
    return (
      <>
        <p>{texts.republished(recall.target_version, version, id, recall.reason ?? '')}</p>
        <p>{texts.onlyFor(version)}</p>
      </>
    );
  }
  return (
    <>
      <p className="fault">{build.recall_reason}</p>
      {recall !== undefined && (
        <>
          <p>{targetWords(recall)}</p>
          <Progress of={recall} />
        </>
      )}
    </>
  );
}

/** The recall, with the devices as the health of the builds counts them: that is shared by all who look at the board. */
function useFreshRecall(app: App, id: number): RecallStatus | undefined {
  const recall = useRecall(app, id, REPORTS_REFRESH_MS).data;
  const recalled = useBuildHealth(app, id)?.running;
  const replacement = useBuildHealth(app, recall?.replacement?.id ?? 0)?.running;
  if (recall === undefined) return undefined;
  const { on_recalled: left, on_replacement: moved } = recall.devices;
  return { ...recall, devices: { on_recalled: recalled ?? left, on_replacement: replacement ?? moved } };
}

function targetWords({ target, target_version: source, replacement }: RecallStatus): string {
  if (replacement !== null) return texts.getReplacement(replacement.version, source);
  return target === 'embedded' ? texts.getEmbedded : texts.keep;
}

/** The recall of a build, or that for which a build was republished. */
export function RecallSection({ app, build }: RecallProps) {
  const recall = useRecall(app, build.recall_of ?? build.id, REPORTS_REFRESH_MS);
  return (
    <Section title={texts.section}>
      {recall.isPending && <Loading what={texts.loadingProgress} />}
      {recall.isError && <ErrorNote error={recall.error} retry={() => void recall.refetch()} />}
      {recall.data !== undefined && (
        <>
          {isReplacement(build) && <p>{texts.replaces(<To app={app} build={recall.data.build} />)}</p>}
          <Details app={app} recall={recall.data} />
        </>
      )}
    </Section>
  );
}

/** The recall of a deleted build, which is in force until it is unrecalled. */
export function RecallOfDeleted({ app, id }: { readonly app: App; readonly id: number }) {
  const start = useBuildActions();
  const { data: recall, error } = useRecall(app, id, REPORTS_REFRESH_MS);
  // Without a recall, and once it has ended, there is nothing of the build.
  if (error instanceof ApiError && error.status === 404) return null;
  if (error !== null) return <ErrorNote error={error} />;
  if (recall === undefined || recall.recalled_at === null) return null;
  return (
    <Section
      title={texts.section}
      actions={<Button onClick={() => start({ kind: 'unrecall', build: recall.build })}>{texts.unrecall}</Button>}
    >
      <p>{texts.ofDeleted}</p>
      <Details app={app} recall={recall} />
    </Section>
  );
}

function Details({ app, recall }: { readonly app: App; readonly recall: RecallStatus }) {
  const { recalled_at: at, reason, target, replacement, also_in: copies, also_recalled: recalledCopies } = recall;
  const source =
    typeof target === 'number' ? <Link to={`/apps/${app.id}/builds/${target}`}>{buildId(target)}</Link> : null;
  return (
    <>
      <Facts
        facts={{
          [texts.since]: <Time at={at} />,
          [texts.reason]: reason,
          [texts.devicesGet(recall.build.version)]:
            replacement !== null
              ? texts.version(replacement.version, source)
              : target === 'embedded'
                ? texts.embedded
                : texts.nothing,
          ...(recalledCopies.length > 0 && { [texts.alsoRecalled]: <Builds app={app} of={recalledCopies} /> }),
          ...(copies.length > 0 && { [texts.alsoIn]: <Builds app={app} of={copies} /> }),
        }}
      />
      <Progress of={recall} />
      <p className="dim">{texts.newerFirst}</p>
    </>
  );
}

type Copy = Pick<Build, 'id' | 'version' | 'channel'>;

function Builds({ app, of: builds }: { readonly app: App; readonly of: readonly Copy[] }): ReactNode {
  return builds.map((build, at) => (
    <span key={build.id}>
      {at > 0 && ', '}
      <To app={app} build={build} />
    </span>
  ));
}

const To = ({ app, build }: { readonly app: App; readonly build: Copy }) => (
  <Link to={`/apps/${app.id}/builds/${build.id}`}>{nameOf(build)}</Link>
);

/** How many of the devices have moved. */
function Progress({ of: { build, replacement, devices } }: { readonly of: RecallStatus }) {
  const { on_recalled: left, on_replacement: moved } = devices;
  return (
    <>
      {replacement !== null && left + moved > 0 && (
        <div className="bar-meter" aria-hidden="true">
          <div style={{ width: `${(100 * moved) / (left + moved)}%` }} />
        </div>
      )}
      <p className="dim">{texts.progress(left, moved, build.version, replacement?.version ?? null)}</p>
    </>
  );
}
