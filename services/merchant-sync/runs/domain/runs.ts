import { DomainError } from '@sluice/kernel';

export type RunType = 'full' | 'incremental' | 'single';
export type RunTrigger = 'schedule' | 'manual' | 'repair';
/** How a run ended. `partial`: some of what it was to do is not done. */
export type RunOutcome = 'completed' | 'partial' | 'failed' | 'cancelled';

/** What a run was started to do. */
export interface RunOrder {
  /** A ULID; also the id of its log. */
  readonly runId: string;
  readonly runType: RunType;
  readonly trigger: RunTrigger;
  /** Of a single run: the product in its shop. */
  readonly productId: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** The state of a shop's runs: one at a time. */
export interface Runs {
  readonly current: RunOrder | null;
  /** When the last scheduled run was started; null: none was. */
  readonly scheduledAt: string | null;
  /** Whether a run over the whole catalogue was started before. */
  readonly listed: boolean;
}

export const NO_RUNS: Runs = { current: null, scheduledAt: null, listed: false };

export type RunsCommand =
  | {
      readonly type: 'StartRun';
      readonly runId: string;
      /** Undefined: `single` with a product, else `full` at first and `incremental` later. */
      readonly runType: RunType | undefined;
      readonly productId: string | undefined;
      readonly trigger: RunTrigger;
      /** ISO 8601. */
      readonly now: string;
      /** Frozen permanently by the first run. */
      readonly offerPrefix: string;
      /** Of a scheduled run: `scheduledAt` as its replica read it. */
      readonly after?: string | null;
    }
  | { readonly type: 'EndRun'; readonly runId: string; readonly outcome: RunOutcome }
  /** `before`: ISO 8601; logs of runs that were started earlier go. */
  | { readonly type: 'PruneLogs'; readonly before: string };

export type RunsEvent =
  | { readonly type: 'SyncRunStarted'; readonly data: RunOrder }
  | { readonly type: 'SyncRunEnded'; readonly data: { readonly runId: string; readonly outcome: RunOutcome } }
  | { readonly type: 'SyncLogsPruned'; readonly data: { readonly before: string } };

/** @throws DomainError sync_already_running */
export function decideRuns(command: RunsCommand, state: Runs): RunsEvent[] {
  switch (command.type) {
    case 'StartRun': {
      // Another replica has already started it.
      if (command.trigger === 'schedule' && command.after !== state.scheduledAt) return [];
      if (state.current !== null) {
        throw new DomainError(
          'sync_already_running',
          'A sync is running. GET sync/status returns its progress; start another when it has ended.',
        );
      }
      const { runId, trigger, productId = null, now: startedAt } = command;
      const runType = command.runType ?? (productId !== null ? 'single' : state.listed ? 'incremental' : 'full');
      return [{ type: 'SyncRunStarted', data: { runId, runType, trigger, productId, startedAt } }];
    }
    case 'EndRun': {
      const { runId, outcome } = command;
      return state.current?.runId === runId ? [{ type: 'SyncRunEnded', data: { runId, outcome } }] : [];
    }
    case 'PruneLogs':
      return [{ type: 'SyncLogsPruned', data: { before: command.before } }];
  }
}

export function evolveRuns(state: Runs, event: RunsEvent): Runs {
  switch (event.type) {
    case 'SyncRunStarted': {
      const { runType, trigger, startedAt } = event.data;
      return {
        ...state,
        current: event.data,
        scheduledAt: trigger === 'schedule' ? startedAt : state.scheduledAt,
        listed: state.listed || runType !== 'single',
      };
    }
    case 'SyncRunEnded':
      return { ...state, current: null };
    case 'SyncLogsPruned':
      return state;
  }
}
