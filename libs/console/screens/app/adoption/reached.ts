import type { Adoption } from '@sluice/contracts';
import { compareVersions } from '../../builds/versions';
import { sum } from './series';

/** Of the devices that were active on a day, the share that ran this version or a newer one, from 0 to 1. */
export function shareOn(adoption: Pick<Adoption, 'versions'>, version: string, day: number): number {
  const { reached, all } = countOn(adoption, version, day);
  return all === 0 ? 0 : reached / all;
}

/** Of the devices that were active on a day, those that ran this version or a newer one. */
export function countOn({ versions }: Pick<Adoption, 'versions'>, version: string, day: number) {
  const active = versions.map((each) => [each.version, each.active[day] ?? 0] as const);
  const all = sum(active.map(([, count]) => count));
  const reached = active.filter(([name]) => name !== null && compareVersions(name, version) >= 0);
  return { reached: sum(reached.map(([, count]) => count)), all };
}

/**
 * How many days after its release the first day was on which so large a share of the active devices ran this version
 * or a newer one. Undefined: there was none yet.
 */
export function daysUntil(adoption: Adoption, { version, at }: Adoption['releases'][number], share: number) {
  const first = adoption.days.indexOf(at.slice(0, 10));
  const day = adoption.days.findIndex((_, index) => index >= first && shareOn(adoption, version, index) >= share);
  return first < 0 || day < 0 ? undefined : day - first;
}
