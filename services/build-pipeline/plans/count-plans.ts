import type { ReadStore } from '@sluice/document-store';
import type { PlanCount } from '@sluice/telemetry';
import { planRows, plansProjection } from './plans.projection';

const HELD = ['manual', 'inconclusive', 'failed'] as const;

/** How many plans there are that somebody may have to look at, or that will change their builds. */
export async function countPlans(readStore: ReadStore): Promise<PlanCount[]> {
  const rows = readStore.view(plansProjection.name, planRows);
  const [running, held, failed] = await Promise.all([
    rows.count({ status: 'running' }),
    rows.find({ where: { status: 'held' } }),
    rows.count({ status: 'failed' }),
  ]);
  return [
    { status: 'running', because: '', count: running },
    ...HELD.map((because) => ({
      ...{ status: 'held', because },
      count: held.filter((row) => row.because === because).length,
    })),
    { status: 'failed', because: 'failed', count: failed },
  ];
}
