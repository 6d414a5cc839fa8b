import type { Collection, Row } from '@sluice/document-store';
import { type JsonObject, unknownEvent } from '@sluice/kernel';
import type { Projection } from '@sluice/projections';
import type { PlanTemplateEvent } from './domain/plan-templates';

/** A plan template as the history of its app shows it. Its id is `{appId}/{name}`. */
export interface PlanTemplateRow extends Row {
  readonly name: string;
  readonly rules: JsonObject;
}

export const planTemplateRows: Collection<PlanTemplateRow> = { name: 'planTemplates', indexes: [] };

/** Part of the history alone: reads load the stream. */
export const planTemplatesProjection: Projection<PlanTemplateEvent> = {
  name: 'planTemplates',
  version: 1,
  prefixes: ['planTemplates-'],
  collections: [planTemplateRows],
  apply: (event, rows) => {
    const { appId, name } = event.data;
    const id = `${appId}/${name}`;
    switch (event.type) {
      case 'PlanTemplateSet':
        rows.put(planTemplateRows, { id, name, rules: event.data.rules });
        return;
      case 'PlanTemplateDeleted':
        rows.delete(planTemplateRows, id);
        return;
      default:
        return unknownEvent(event);
    }
  },
};
