import { Inject, Injectable } from '@nestjs/common';
import { OPERATOR_ID, type Owner } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import { DomainError } from '@sluice/kernel';
import { ownerStream, type Suspension } from '../domain/owner';
import { type OwnerRow, ownerRows, ownersProjection } from '../projections/owners.projection';

/** Owners as the API shows them. */
@Injectable()
export class OwnerView {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly documents: ReadStore,
  ) {}

  /** From the stream. @throws DomainError OWNER_NOT_FOUND */
  async of(id: number): Promise<Owner> {
    let row: OwnerRow | undefined;
    for await (const { type, data, metadata } of this.events.readStream(ownerStream(id))) {
      if (type === 'OwnerCreated') {
        const { name } = data as { readonly name: string };
        row = { id: String(id), number: id, name, keyRotatedAt: null, createdAt: metadata.at, suspended: null };
      } else if (type === 'OwnerKeyRotated' && row !== undefined) {
        row = { ...row, keyRotatedAt: metadata.at };
      } else if (type === 'OwnerSuspended' && row !== undefined) {
        row = { ...row, suspended: { ...(data as unknown as Suspension), at: metadata.at } };
      } else if (type === 'OwnerResumed' && row !== undefined) {
        row = { ...row, suspended: null };
      }
    }
    if (row === undefined) throw new DomainError('OWNER_NOT_FOUND', 'There is no such owner.');
    return resource(row);
  }

  /** By id ascending. */
  async list({ page, perPage }: { page: number; perPage: number }): Promise<{ items: Owner[]; total: number }> {
    const view = this.documents.view(ownersProjection.name, ownerRows);
    const [rows, total] = await Promise.all([
      view.find({ sort: [['number', 'asc']], offset: (page - 1) * perPage, limit: perPage }),
      view.count(),
    ]);
    return { items: rows.map(resource), total };
  }
}

function resource({ number: id, name, keyRotatedAt, createdAt, suspended }: OwnerRow): Owner {
  return {
    ...{ id, name, operator: id === OPERATOR_ID, key_rotated_at: keyRotatedAt, created_at: createdAt },
    suspended: suspended && { at: suspended.at, reason: suspended.reason, stop_devices: suspended.stopDevices },
  };
}
