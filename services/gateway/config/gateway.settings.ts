import { integer, type Settings, type SettingsOf } from '@sluice/config';
import { z } from 'zod';

export const gatewaySettings = z.object({
  /** Of one token; and of one address that sends no valid token. */
  LIMIT_REQUESTS_PER_MINUTE: integer(120, 1),
  /** Of an owner: its key and its sessions together. */
  LIMIT_OWNER_REQUESTS_PER_MINUTE: integer(1_200, 1),
  /**
   * Requests that change something, of an owner and all its tokens together. When this limit or a limit
   * of requests is reached, up to 60 requests a minute are still accepted that pause, archive or halt
   * builds or lower their rollout. An owner may also revoke tokens, rotate owner keys, suspend owners and
   * log out.
   */
  LIMIT_CHANGES_PER_HOUR: integer(5_000, 1),
  /** Of one token, rejected uploads included. */
  LIMIT_UPLOADS_PER_HOUR: integer(30, 1),
  /**
   * Three separate limits of this size: creations of API keys, for each app; rotations and reveals, for each
   * key; creations and rotations of the signing key, for each app.
   */
  LIMIT_KEY_ACTIONS_PER_HOUR: integer(10, 1),
  /** A session that was not used for so long ends. */
  SESSION_IDLE_SECONDS: integer(43_200, 1),
  /**
   * The responses of the gateway (console and APIs) send `Strict-Transport-Security: max-age=` with this
   * number; 0: they do not. Set it once all of the host name is served by https: browsers remember it.
   */
  HSTS_SECONDS: integer(0),
  /** The largest keystore that may be uploaded. */
  MAX_KEYSTORE_BYTES: integer(10_485_760, 1),
  /**
   * What the bundles of one owner’s apps may take together; an upload beyond it gets 422
   * `STORAGE_LIMIT_REACHED`.
   */
  STORAGE_PER_OWNER_BYTES: integer(107_374_182_400, 1),
});
export type GatewaySettings = Settings & SettingsOf<typeof gatewaySettings>;
