import type { Row } from '@sluice/document-store';
import type { Recorded } from '@sluice/event-store';
import type { ProjectedRows } from '@sluice/projections';
import type { ChannelEvent } from '../builds/domain/channel';
import type { PlanEvent } from './domain/plan';
import { plansProjection } from './plans.projection';

const ids = { appId: 7, buildId: 1 };
const set = {
  type: 'PlanSet',
  data: { ...ids, version: '1.0.0', basis: { channel: 'pr-9.3', channelRevision: 1, manualRevision: 0 } },
} as unknown as PlanEvent;
const deleted: ChannelEvent = { type: 'BuildDeleted', data: { buildId: 1, objectKey: 'o', jobId: null } };
const completed: PlanEvent = { type: 'PlanCompleted', data: ids };
const ended = (change: string): PlanEvent => ({ type: 'PlanAborted', data: { ...ids, because: 'changed', change } });

/** The ids of the rows after these events. */
async function after(...events: (PlanEvent | ChannelEvent)[]): Promise<string[]> {
  const rows = new Map<string, Row>();
  const projected = {
    put: (_, row) => void rows.set(row.id, row),
    update: (_, id, change) => {
      const row = rows.get(id);
      if (row !== undefined) rows.set(id, change(row as never)!);
      return Promise.resolve();
    },
    delete: (_, id) => void rows.delete(id),
  } as Partial<ProjectedRows> as ProjectedRows;
  for (const [index, event] of events.entries()) {
    const stream = event.type === 'BuildDeleted' ? 'channel-7-pr-9.3' : 'plan-1';
    await plansProjection.apply({ ...event, stream, position: String(index) } as Recorded<PlanEvent>, projected);
  }
  return [...rows.keys()];
}

it('lists the plan of a build until the build is deleted', async () => {
  expect(await after(set, ended('RolloutChanged'))).toEqual(['1']);
  expect(await after(set, completed)).toEqual(['1']);
  expect(await after(set, completed, deleted)).toEqual([]);
  expect(await after(set, deleted, ended('BuildDeleted'))).toEqual([]);
});

it('lists no plan that was set while its build was deleted', async () => {
  expect(await after(deleted, set, ended('BuildDeleted'))).toEqual([]);
});
