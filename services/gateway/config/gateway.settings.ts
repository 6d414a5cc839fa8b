import { integer, type Settings, type SettingsOf } from '@sluice/config';
import { z } from 'zod';

export const gatewaySettings = z.object({
  /** Of one token; and of one address that sends no valid token. */
  LIMIT_REQUESTS_PER_MINUTE: integer(120, 1),
  /** Of an owner: its key and its sessions together. */
  LIMIT_OWNER_REQUESTS_PER_MINUTE: integer(1_200, 1),
  /**
   * Requests that change something, of an owner and all its tokens together. Beyond this limit and those
   * of requests, a token or an owner may still pause, archive, switch off or lower the rollout of builds
   * 60 times a minute; an owner may likewise revoke tokens, rotate owner keys, suspend owners and log
   * out.
   */
  LIMIT_CHANGES_PER_HOUR: integer(5_000, 1),
  /** Of one token, rejected uploads included. */
  LIMIT_UPLOADS_PER_HOUR: integer(30, 1),
  /**
   * Creations of API keys of one app; rotations and reveals of one key; creations and rotations of an
   * app’s signing key.
   */
  LIMIT_KEY_ACTIONS_PER_HOUR: integer(10, 1),
  /** A session that was not used for so long ends. */
  SESSION_IDLE_SECONDS: integer(43_200, 1),
  /**
   * The console and the planes below it send `Strict-Transport-Security: max-age=` with this number; 0:
   * they do not. Set it once all of the host name is served by https: browsers remember it.
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
