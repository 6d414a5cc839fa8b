import { OPERATOR_ID, type Owner } from '@sluice/contracts';
import type { ExistingOwner } from './domain/owner';

/** The owner of the API. */
export function ownerResource(
  owner: Pick<ExistingOwner, 'id' | 'name' | 'createdAt' | 'keyRotatedAt' | 'suspension'>,
): Owner {
  const { id, name, createdAt, keyRotatedAt, suspension } = owner;
  return {
    id,
    name,
    operator: id === OPERATOR_ID,
    key_rotated_at: keyRotatedAt,
    created_at: createdAt,
    suspended: suspension && { at: suspension.at, reason: suspension.reason, stop_devices: suspension.stopDevices },
  };
}
