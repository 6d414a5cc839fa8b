import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { VERSION } from '@sluice/config';
import type { ProjectionStatus, ServiceFacts } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import type { TrafficFacts } from '@sluice/http';
import { newUlid, TimeoutError, withTimeout } from '@sluice/kernel';
import { modeOf } from './data-folder';
import { keepsOnDisk, objectStoreOrigin, type EngineName, type Engines } from '@sluice/engines';
import type { PublicUrl } from './injection-tokens';

export interface ServiceDiagnosticsOptions {
  readonly service: string;
  readonly engines: Engines;
  readonly publicUrl: PublicUrl;
  readonly projections: () => Promise<ProjectionStatus[]>;
  /** Facts that only the service can provide. */
  readonly more?: () => Promise<ServiceFactsOfService>;
  /** Of the process that serves the service's plane. */
  readonly traffic?: () => TrafficFacts;
}

export type ServiceFactsOfService = Pick<ServiceFacts, 'signed_statements'>;

/** An engine that is silent for this long counts as unavailable. */
const PATIENCE_MS = 1_500;

/** Facts about this process for an operator, without secrets or client data. */
export class ServiceDiagnostics {
  constructor(private readonly options: ServiceDiagnosticsOptions) {}

  /** Probes every engine for at most 1.5 s. An unavailable engine is listed, and the other facts are still returned. */
  async facts(): Promise<ServiceFacts> {
    const { service, engines, publicUrl, projections, more, traffic } = this.options;
    const { opened, settings, vault, clock } = engines;
    const [found, rows, sealedOtherwise, ofService, disk, dataDirMode] = await Promise.all([
      this.#engines(),
      withTimeout(projections(), PATIENCE_MS).catch(() => []),
      opened.includes('vault') ? withTimeout(vault.countUnderOtherKeys(), PATIENCE_MS).catch(() => null) : null,
      withTimeout(more?.() ?? Promise.resolve({}), PATIENCE_MS).catch(() => ({})),
      keepsOnDisk(settings, opened) ? statfs(settings.dataDir).catch(() => undefined) : undefined,
      keepsOnDisk(settings, opened) ? modeOf(settings.dataDir) : undefined,
    ]);
    const asked = traffic?.();
    return {
      service,
      version: VERSION,
      node: process.versions.node,
      time: clock.now().toISOString(),
      uptime_seconds: Math.floor(process.uptime()),
      public_url: publicUrl(),
      trusted_proxies: settings.trustedProxies.length > 0,
      engines: found,
      projections: rows,
      master_key: {
        previous_set: (settings.masterKeyPrevious ?? settings.sealKeysPrevious) !== undefined,
        sealed_otherwise: sealedOtherwise,
      },
      disk: disk === undefined ? null : { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
      data_dir_mode: dataDirMode ?? null,
      downloads: {
        mode: settings.downloadMode,
        store_address:
          settings.downloadMode === 'stream' || !opened.includes('objects')
            ? null
            : (settings.objectStorePublicUrl ?? objectStoreOrigin(settings.objectStoreUrl)),
      },
      ...ofService,
      traffic:
        asked === undefined
          ? null
          : {
              requests: asked.requests,
              busiest_address: asked.busiestAddress,
              busiest_share: asked.busiestShare,
              forwarded_share: asked.forwardedShare,
            },
    };
  }

  async #engines(): Promise<ServiceFacts['engines']> {
    const { opened, settings, events, readStore, stateStore, objects, messaging } = this.options.engines;
    type Found = Promise<ServiceFacts['engines'][number]>[];
    const ifOpened = (engine: EngineName, ask: () => Found[number]): Found => (opened.includes(engine) ? [ask()] : []);
    const probe = async (
      name: ServiceFacts['engines'][number]['name'],
      url: string,
      ask: () => Promise<unknown>,
      engine: Partial<Pick<DocumentStore, 'product' | 'undeclaredIndexes'>> = {},
    ): Promise<ServiceFacts['engines'][number]> => {
      const [kind = ''] = url.split(':', 1);
      const [fault, product, undeclared] = await Promise.all([
        withTimeout(ask(), PATIENCE_MS).then(() => null, faultOf),
        withTimeout(engine.product?.() ?? Promise.resolve(undefined), PATIENCE_MS).catch(() => undefined),
        withTimeout(engine.undeclaredIndexes?.() ?? Promise.resolve(undefined), PATIENCE_MS).catch(() => undefined),
      ]);
      return {
        ...{ name, kind, fault, product: product ?? null },
        ...(undeclared !== undefined && { undeclared_indexes: undeclared }),
      };
    };
    return Promise.all([
      ...ifOpened('events', () => probe('event store', settings.eventStoreUrl, () => events.head(), events)),
      ...ifOpened('readStore', () => probe('read store', settings.readStoreUrl, () => readStore.ping(), readStore)),
      ...ifOpened('stateStore', () =>
        probe('state store', settings.stateStoreUrl, () => stateStore.ping(), stateStore),
      ),
      ...ifOpened('objects', () =>
        probe('object store', settings.objectStoreUrl, async () => {
          const key = `diagnostics/${newUlid()}`;
          await objects.put(key, Readable.from(Buffer.from('sluice doctor')));
          await objects.delete(key);
        }),
      ),
      probe('bus', settings.busUrl, () => messaging.ping(), messaging),
    ]);
  }
}

/** The message of an error without a reason is not shown, because it may contain an address with its password. */
function faultOf(error: unknown): string {
  if (error instanceof TimeoutError) return 'no response in time';
  const { name, code, reason, message } = error as Readonly<Partial<Error>> & { code?: unknown; reason?: unknown };
  if (typeof reason === 'string' && message !== undefined) return `${reason}: ${message.replace(/\.$/, '')}`;
  return typeof code === 'string' ? `${name ?? 'Error'} (${code})` : (name ?? 'Error');
}
