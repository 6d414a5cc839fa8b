import { Controller, Inject, type Type } from '@nestjs/common';
import type { HistoryCalls, ReplyOf, RequestOf } from '@sluice/contracts';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import type { History } from '@sluice/history';
import { Handles } from '@sluice/messaging';

/** Answers what a service tells of its apps' history. */
export function historyController(history: History): Type {
  @Controller()
  class HistoryController {
    constructor(@Inject(EVENT_STORE) private readonly events: EventStore) {}

    @Handles(history.calls.positions)
    positions(request: RequestOf<HistoryCalls['positions']>): Promise<ReplyOf<HistoryCalls['positions']>> {
      return history.positions(this.events, request);
    }

    @Handles(history.calls.entries)
    entries(request: RequestOf<HistoryCalls['entries']>): Promise<ReplyOf<HistoryCalls['entries']>> {
      return history.entries(this.events, request);
    }
  }
  return HistoryController;
}
