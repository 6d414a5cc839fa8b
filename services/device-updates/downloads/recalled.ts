import { DomainError } from '@sluice/kernel';
import type { ServedBuild } from '../serving/served-builds';
import type { ServingIndex } from '../serving/serving-index';

/** @throws DomainError DOWNLOAD_URL_INVALID for a recalled build, and one that republishes it */
export function refuseRecalled({ builds }: ServingIndex, { buildId, republishedFromId = buildId }: ServedBuild): void {
  if (![buildId, republishedFromId].some((of) => builds.recalls.has(of))) return;
  throw new DomainError('DOWNLOAD_URL_INVALID', 'This build was recalled. Check for updates again.');
}
