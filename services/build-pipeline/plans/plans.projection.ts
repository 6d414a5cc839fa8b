import type { Collection, Row } from '@sluice/document-store';
import type { Position, Recorded } from '@sluice/event-store';
import { unknownEvent } from '@sluice/kernel';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { Channel, ChannelEvent } from '../builds/domain/channel';
import type { LivePlan, PlanEvent } from './domain/plan';

/** The plan of a build that was set last, under the id of the build as text. */
export interface PlanRow extends Row, Pick<LivePlan, 'status' | 'because' | 'step'> {
  readonly app_id: number;
  readonly version: string;
  readonly channel: Channel;
  /** Of the event that set it: plans are listed newest first by this. */
  readonly position: Position;
  /** Of the last verdict. */
  readonly reasons: readonly string[];
  /** Of the step; null: it is in none yet. */
  readonly percentage: number | null;
}

export const planRows: Collection<PlanRow> = {
  name: 'plans',
  indexes: [{ fields: ['status'] }, { fields: ['app_id', 'status', 'position'] }],
  counted: ['app_id', 'status'],
};

export const plansProjection: Projection<PlanEvent | ChannelEvent> = {
  name: 'plans',
  version: 3,
  prefixes: ['plan-', 'channel-'],
  collections: [planRows],
  apply,
};

async function apply(event: Recorded<PlanEvent | ChannelEvent>, rows: ProjectedRows): Promise<void> {
  if (event.type === 'BuildDeleted') {
    rows.delete(planRows, String(event.data.buildId));
    return;
  }
  if (event.stream.startsWith('plan-')) await applyToPlan(event as Recorded<PlanEvent>, rows);
}

async function applyToPlan(event: Recorded<PlanEvent>, rows: ProjectedRows): Promise<void> {
  const { appId, buildId } = event.data;
  const id = String(buildId);
  const change = (changes: Partial<PlanRow>) => rows.update(planRows, id, (row) => ({ ...row, ...changes }));
  switch (event.type) {
    case 'PlanSet': {
      const { version, basis } = event.data;
      rows.put(planRows, {
        ...{ id, app_id: appId, version, channel: basis.channel, position: event.position },
        ...{ status: 'running', because: null, step: 0, percentage: null, reasons: [] },
      });
      return;
    }
    case 'StepEntered': {
      const { step, percentage } = event.data;
      return change({ status: 'running', because: null, step, percentage });
    }
    case 'PlanHeld':
      return change({ status: 'held', because: event.data.because });
    case 'PlanResumed':
      return change({ status: 'running', because: null });
    case 'PlanCompleted':
      return change({ status: 'completed', because: null });
    case 'PlanAborted': {
      const { because, action, change: changed } = event.data;
      // It was set while its build was deleted.
      if (changed === 'BuildDeleted') {
        rows.delete(planRows, id);
        return;
      }
      return change({ status: action === undefined ? 'aborted' : 'failed', because });
    }
    case 'GateJudged':
      return change({ reasons: event.data.reasons });
    case 'StepDue':
    case 'StepSkipped':
    case 'PlanStepsChanged':
      return;
    default:
      return unknownEvent(event);
  }
}
