import { Controller, Inject, type Type } from '@nestjs/common';
import type { HistoryCalls, ReplyOf, RequestOf } from '@sluice/contracts';
import { PROJECTIONS, type Projections, ReadStore } from '@sluice/document-store';
import type { History } from '@sluice/history';
import { Handles } from '@sluice/messaging';

/** Answers what a service tells of its apps' history. */
export function historyController(history: History): Type {
  @Controller()
  class HistoryController {
    constructor(
      readonly readStore: ReadStore,
      @Inject(PROJECTIONS) readonly projections: Projections,
    ) {}

    @Handles(history.calls.positions)
    positions(request: RequestOf<HistoryCalls['positions']>): Promise<ReplyOf<HistoryCalls['positions']>> {
      return history.positions(this, request);
    }

    @Handles(history.calls.entries)
    entries(request: RequestOf<HistoryCalls['entries']>): Promise<ReplyOf<HistoryCalls['entries']>> {
      return history.entries(this, request);
    }
  }
  return HistoryController;
}
