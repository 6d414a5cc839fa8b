import type { GroupEvent } from '@sluice/contracts';
import type { Collection, Row } from '@sluice/document-store';
import { unknownEvent } from '@sluice/kernel';
import type { Projection } from '@sluice/projections';

/** A device group as the history of its app shows it. Its id is `{appId}/{name}`. */
export interface DeviceGroupRow extends Row {
  readonly appId: number;
  readonly name: string;
  readonly size: number;
  readonly revision: number;
}

export const deviceGroupRows: Collection<DeviceGroupRow> = { name: 'deviceGroups', indexes: [{ fields: ['appId'] }] };

/** Part of the history alone. The streams are those of device-updates. */
export const deviceGroupsProjection: Projection<GroupEvent> = {
  name: 'deviceGroups',
  version: 1,
  prefixes: ['groups-'],
  collections: [deviceGroupRows],
  apply: (event, rows) => {
    const { appId } = event.data;
    switch (event.type) {
      case 'GroupReplaced': {
        const { name, size, revision } = event.data;
        rows.put(deviceGroupRows, { id: `${appId}/${name}`, appId, name, size, revision });
        return;
      }
      case 'GroupDeleted':
        rows.delete(deviceGroupRows, `${appId}/${event.data.name}`);
        return;
      case 'GroupsClosed':
        return rows.deleteWhere(deviceGroupRows, { appId });
      default:
        return unknownEvent(event);
    }
  },
};
