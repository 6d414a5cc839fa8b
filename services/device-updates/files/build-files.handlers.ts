import { Injectable } from '@nestjs/common';
import { type BuildFiles, getBuildFiles, type RequestOf } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import type { ServedBuild } from '../serving/served-builds';
import { ServingIndex } from '../serving/serving-index';
import { compareFiles, sizesOf } from './build-files';
import { FileIndexes, isTooLarge } from './file-indexes';

/** What changed from one build to the next. */
@Injectable()
export class BuildFilesHandlers {
  constructor(
    private readonly index: ServingIndex,
    private readonly files: FileIndexes,
  ) {}

  @HandlesQuery(getBuildFiles)
  async compare({ appId, id, compare }: RequestOf<typeof getBuildFiles>): Promise<BuildFiles> {
    const build = this.find(appId, id);
    const before = compare === undefined ? this.previous(build) : this.find(appId, compare);
    const [files, earlier] = await Promise.all([
      this.files.load(build),
      before &&
        this.files.load(before).catch((error: unknown) => {
          if (compare === undefined && isTooLarge(error)) return undefined;
          throw error;
        }),
    ]);
    return {
      ...named(build),
      ...(await compareFiles(files, earlier)),
      compared_with: before && earlier ? { ...named(before), ...sizesOf(earlier.files) } : null,
    };
  }

  /** @throws DomainError BUILD_NOT_FOUND also for a build of another app, and for one that is still being checked */
  private find(appId: number, id: number): ServedBuild {
    const build = this.index.builds.find(id);
    if (build?.facts.appId !== appId || build.facts.status === 'processing')
      throw new DomainError('BUILD_NOT_FOUND', `There is no build ${id} here.`);
    return build;
  }

  /** The newest older version of its channel that is not encrypted, for the same platform; undefined: it is the first. */
  private previous(build: ServedBuild): ServedBuild | undefined {
    return this.index.builds.previousOf(
      build,
      ({ platform, client, facts }) =>
        platform === build.platform && client === undefined && facts.status !== 'processing',
    );
  }
}

const named = ({ facts: { buildId, version } }: ServedBuild) => ({ build_id: buildId, version });
