import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import type { Diagnostic, DiagnosticCheck } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/engines';
import type { Merchant } from '../domain/merchant';
import { REMOTE_CATALOG, type RemoteCatalog } from '../remotes/remote-catalog';
import { SealedTokens } from './connection-tokens';
import { Mappings } from './mappings';
import { CONTENT_SCOPE, OAuthClient } from './oauth-client';
import { SyncLogs } from './sync-logs';

type Finding = Pick<Diagnostic, 'status' | 'message' | 'count'> & { readonly repairable?: boolean };

const AREAS: Readonly<Record<DiagnosticCheck, Diagnostic['area']>> = {
  oauth_client_missing: 'connection',
  not_connected: 'connection',
  scope_missing: 'connection',
  token_undecryptable: 'tokens',
  refresh_failed: 'tokens',
  account_inaccessible: 'account',
  stale_run: 'sync',
  orphan_mappings: 'mappings',
  missing_remote_offers: 'mappings',
  duplicate_offers: 'mappings',
  expiring_offers: 'mappings',
  retry_exhausted: 'mappings',
  remote_sunset: 'sync',
};

/** Codes of runs that failed for want of an account. */
const ACCOUNT_FAULTS: ReadonlySet<unknown> = new Set(['forbidden', 'account_inaccessible', 'account_not_chosen']);

/** What is wrong with the module's own state (spec 5, diagnostics). Asks nobody outside. */
@Injectable()
export class Diagnoses {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REMOTE_CATALOG) private readonly remote: RemoteCatalog,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly client: OAuthClient,
    private readonly tokens: SealedTokens,
    private readonly mappings: Mappings,
    private readonly logs: SyncLogs,
  ) {}

  /** Every check, in the order of the contract. */
  async of(state: Merchant): Promise<Diagnostic[]> {
    const findings: Record<DiagnosticCheck, Finding> = {
      ...(await this.ofConnection(state)),
      ...(await this.ofRuns(state)),
      ...(await this.ofMappings(state)),
    };
    return Object.entries(findings).map(([id, finding]) => ({
      ...{ id: id as DiagnosticCheck, area: AREAS[id as DiagnosticCheck] },
      ...{ ...finding, repairable: finding.repairable === true && finding.count > 0 },
    }));
  }

  private async ofConnection({ connection }: Merchant) {
    const found = connection === null ? undefined : await this.tokens.find(connection.id);
    return {
      oauth_client_missing: error(
        !this.client.configured,
        'No OAuth client is configured. Set OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.',
        'The OAuth client is configured.',
      ),
      not_connected: error(
        connection === null,
        'The store is connected to no merchant account. POST listings-ads/connect begins it.',
        'The store is connected.',
      ),
      scope_missing: error(
        connection !== null && !connection.scopes.includes(CONTENT_SCOPE),
        'The grant does not let offers be pushed. Connect again and leave every box ticked.',
        'Everything that is needed was granted, or nothing was asked for yet.',
      ),
      token_undecryptable: error(
        connection !== null && typeof found !== 'object',
        'The sealed tokens do not open under the master key, or are gone. Connect again.',
        'The tokens open, or there are none.',
      ),
      refresh_failed: error(
        connection?.needsReauthorization === true,
        'The remote side no longer takes the grant, and the schedule has stopped. Connect again.',
        'The grant is taken, as far as is known.',
      ),
    };
  }

  private async ofRuns({ connection, runs }: Merchant) {
    const last = await this.logs.lastEnded();
    const code = last?.details['code'];
    const lease = runs.current === null ? undefined : await this.logs.lease(runs.current.runId);
    const silentMs = this.clock.now().getTime() - Date.parse(lease?.heartbeat_at ?? runs.current?.startedAt ?? '');
    const sunset = code === 'remote_api_sunset' && last?.details['adapter'] === this.remote.adapter;
    return {
      account_inaccessible: error(
        connection !== null && (ACCOUNT_FAULTS.has(code) || (connection.account === null && last !== undefined)),
        ACCOUNT_FAULTS.has(code)
          ? (last?.error_message ?? '')
          : 'No merchant account is chosen. Set MERCHANT_ACCOUNT_ID where the grant reaches more than one.',
        'The merchant account is accessible, as far as is known.',
      ),
      stale_run: {
        ...warning(
          runs.current !== null && silentMs > 3 * this.settings.jobLeaseMs ? 1 : 0,
          'A run goes on that no process has worked on for a while. A repair lets the next process take it at once.',
          'No run stands still.',
        ),
        repairable: true,
      },
      remote_sunset: error(
        sunset,
        `The remote interface ${this.remote.adapter} has ended and the schedule has stopped. Set REMOTE_CATALOG to merchant_api_v1.`,
        'The remote interface is there, as far as is known.',
      ),
    };
  }

  private async ofMappings({ sync }: Merchant) {
    const { rows } = this.mappings;
    const [resurfaced, missing, expiring, exhausted, listing] = await Promise.all([
      rows.count({ live: false, resurfaced: true }),
      rows.count({ live: true, missing: true }),
      rows.count({ live: true, listing_status: 'expiring' }),
      rows.count({ live: true, failed_attempts: { gt: sync.max_retries } }),
      this.logs.lastListing(),
    ]);
    const undeleted = Number(listing?.details['undeleted'] ?? 0);
    const duplicates = listing?.details['duplicates'];
    return {
      orphan_mappings: {
        ...warning(
          resurfaced + undeleted,
          `${undeleted} offers are no longer listed by the store and were kept by delete_missing or max_delete_ratio; ` +
            `the remote side still has ${resurfaced} that were deleted. A repair deletes the latter again.`,
          'Every mapping has its product.',
        ),
        repairable: resurfaced > 0,
      },
      missing_remote_offers: {
        ...warning(
          missing,
          'The remote side acknowledged offers that it does not have. The next run, or a repair, sends them again.',
          'The remote side has every offer that it acknowledged.',
        ),
        repairable: true,
      },
      duplicate_offers: warning(
        Array.isArray(duplicates) ? duplicates.length : 0,
        'Several items of the store have the same offer id, of which the first was sent. Give them ids of their own: details.duplicates of the last run names them.',
        'No two items have the same offer id.',
      ),
      expiring_offers: {
        ...warning(
          expiring,
          'Offers expire within three days. The next run, or a repair, sends them again.',
          'No offer is about to expire.',
        ),
        repairable: true,
      },
      retry_exhausted: {
        ...warning(
          exhausted,
          'Offers were refused too often and are left alone until they change; last_error of the mappings tells why. A repair tries once more.',
          'No offer was given up.',
        ),
        repairable: true,
      },
    };
  }
}

function error(wrong: boolean, message: string, fine: string): Finding {
  return wrong ? { status: 'error', message, count: 1 } : { status: 'ok', message: fine, count: 0 };
}

function warning(count: number, message: string, fine: string): Finding {
  return count > 0 ? { status: 'warning', message, count } : { status: 'ok', message: fine, count };
}
