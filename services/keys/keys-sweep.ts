import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { type AnyCollection, ReadStore, StateStore } from '@sluice/document-store';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import type { Clock } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { CLOCK, idsOf, LOGGER, type Logger, OrphanSweep, sweptObjects, type SweptKind } from '@sluice/service-host';
import { VAULT, type Vault } from '@sluice/vault';
import { apiKeyUsage } from './api-keys/api-key-usage';
import { apiKeyRows, apiKeysProjection } from './api-keys/api-keys.projection';
import { API_KEY_SEALS } from './api-keys/domain/api-keys';
import { KEYSTORE_OBJECTS, KEYSTORE_SEALS } from './keystores/domain/keystore';
import { keystoreRows, keystoresProjection } from './keystores/keystores.projection';
import { SIGNING_KEY_SEALS } from './signing-keys/domain/signing-key';
import { listedSigningKeyRows, signingKeysProjection } from './signing-keys/signing-keys.projection';

const PAGE = 100;

/** Deletes seals of keys and sealed keystores that no event names, and what is known of the use of deleted API keys. */
@Injectable()
export class KeysSweep extends OrphanSweep {
  constructor(
    @Inject(VAULT) vault: Vault,
    @Inject(OBJECT_STORE) objects: ObjectStore,
    @Inject(EVENT_STORE) events: EventStore,
    readStore: ReadStore,
    state: StateStore,
    @Inject(PROJECTIONS) projections: Projections,
    @Inject(CLOCK) clock: Clock,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    const used = state.rows(apiKeyUsage);
    super({
      ...{ sweep: 'api-key-seals', what: 'Seals and keystores' },
      ...{ events, readStore, state, projections, clock, logger },
      ...{ graceSeconds: settings.objectGraceSeconds, eventStorePrefix: settings.eventStorePrefix },
      kinds: [
        seals(vault, API_KEY_SEALS, apiKeysProjection, apiKeyRows),
        seals(vault, SIGNING_KEY_SEALS, signingKeysProjection, listedSigningKeyRows),
        seals(vault, KEYSTORE_SEALS, keystoresProjection, keystoreRows),
        sweptObjects(objects, KEYSTORE_OBJECTS, { projection: keystoresProjection.name, rows: keystoreRows }),
        {
          ...{ projection: apiKeysProjection.name, rows: apiKeyRows, member: 'id' },
          all: () => idsOf(used),
          delete: (id) => used.delete(id),
        },
      ],
    });
  }
}

function seals(
  vault: Vault,
  prefix: string,
  { name: projection }: { readonly name: string },
  rows: AnyCollection,
): SweptKind {
  return {
    ...{ projection, rows, member: 'sealId' },
    delete: (id) => vault.delete(id),
    async *all() {
      for (let after = ''; ;) {
        const ids = await vault.ids({ prefix, after, limit: PAGE });
        yield* ids;
        if (ids.length < PAGE) return;
        after = ids.at(-1) ?? '';
      }
    },
  };
}
