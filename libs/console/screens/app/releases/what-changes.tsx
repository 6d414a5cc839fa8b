import type { App, Build, Channel } from '@sluice/contracts';
import { ErrorNote, Loading } from '../../../parts/states';
import { servedIn, useBuilds, useHolder } from '../../builds/data';
import { compareVersions, percentageOf, servingOf } from './serving';
import { stateWords } from './state';

/** Of a build that is not there yet. */
export interface Coming {
  readonly version: string;
  /** Percent. */
  readonly rollout: number;
  readonly mandatory: boolean;
  readonly minNativeVersion: string | null;
}

interface WhatChangesProps {
  readonly app: App;
  readonly channel: Channel;
  readonly coming: Coming;
}

/** What changes for the devices of a channel once `coming` is active in it, in sentences; or why the server rejects it. */
export function WhatChanges({ app, channel, coming }: WhatChangesProps) {
  const active = useBuilds(app, servedIn(channel));
  const { build: holder } = useHolder(app, channel, coming.version);
  if (active.isPending || active.isPlaceholderData) return <Loading what="what devices get now" />;
  if (active.isError) return <ErrorNote error={active.error} again={() => void active.refetch()} />;
  const refused = refusalOf(active.data.data, holder, coming);
  if (refused !== undefined) {
    return (
      <p className="note warn" role="status">
        {refused}
      </p>
    );
  }
  return (
    <section className="note info" aria-label="What changes for devices">
      <h3>What changes for devices of {channel}</h3>
      <ul>
        {sentences(active.data.data, coming, channel).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** Why a channel would take no upload of this version; undefined while that is not known. */
export function useRefusedVersion(app: App, channel: Channel, version: string | undefined): string | undefined {
  const active = useBuilds(app, servedIn(channel));
  const { build: holder } = useHolder(app, channel, version ?? '');
  if (version === undefined || active.data === undefined || active.isPlaceholderData) return undefined;
  return refusalOf(active.data.data, holder, { version }, channel);
}

/** Why the server would refuse it. `upload`: the channel that it is uploaded to, unlike a promotion to an older version. */
function refusalOf(
  active: readonly Build[],
  holder: Build | undefined,
  { version }: Pick<Coming, 'version'>,
  upload?: Channel,
): string | undefined {
  if (holder !== undefined) {
    return `${holder.channel} has ${version} already: build #${holder.id}, ${stateWords(holder)}. It can have it once more when that one is deleted.`;
  }
  const head = [...active].sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (upload === undefined || head === undefined || compareVersions(head.version, version) < 0) return undefined;
  return `${upload} takes only what is newer than ${head.version}, its newest active build.`;
}

export function sentences(active: readonly Build[], coming: Coming, channel: Channel): string[] {
  const { version, rollout, mandatory, minNativeVersion: gate } = coming;
  const serving = servingOf(active).served.filter((build) => percentageOf(build) > 0);
  const newer = serving.filter((build) => compareVersions(build.version, version) > 0);
  const older = servingOf(active.filter((build) => compareVersions(build.version, version) < 0)).served.filter(
    (build) => percentageOf(build) > 0,
  );
  const before = older.map((build) => build.version).join(' or ');
  const instead = before === '' ? '' : ` instead of ${before}`;
  const covered = newer.some((build) => percentageOf(build) === 100 && build.min_native_version === null);
  const said: string[] = [];
  if (rollout === 0) {
    said.push(`At 0 % no device gets ${version} until you raise its rollout.`);
  } else if (covered) {
    const [head] = newer;
    said.push(`No device gets ${version}: ${head?.version ?? 'a newer build'} is newer and serves them all.`);
  } else {
    const whom = rollout === 100 ? 'Every device' : `${rollout} % of the devices`;
    const left = newer.length === 0 ? '' : ` that none of ${newer.map((build) => build.version).join(', ')} serves,`;
    const suits = gate === null ? '' : ` and a native app of ${gate} or newer`;
    const get = rollout === 100 ? 'gets' : 'get';
    said.push(`${whom}${left} with an older version${suits} ${get} ${version}${instead}, from the next check on.`);
    if (rollout < 100 || gate !== null) {
      said.push(before === '' ? 'The others get nothing new.' : `The others continue to get ${before}.`);
    }
    if (mandatory) said.push('It is mandatory: devices that get it have to install it before they continue.');
  }
  said.push(
    active.length === 0
      ? `Nothing is active in ${channel} yet: this is its first build.`
      : 'A device that runs a newer version is not downgraded.',
  );
  return said;
}
