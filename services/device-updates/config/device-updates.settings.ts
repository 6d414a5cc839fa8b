import { integer, type Settings, type SettingsOf, wholeNumber } from '@sluice/config';
import { z } from 'zod';
import { COMPAT_BASE, PLANES } from '../http/compat-planes';

const COMPAT_HOST = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)=([a-z-]+(?:\/[\w-]+)?)$/;

/** By host, the base of the paths that are served at its root. */
const compatHosts = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .transform((entries, context): ReadonlyMap<string, string> => {
    const hosts = new Map<string, string>();
    for (const entry of entries) {
      const [, host = '', base = ''] = COMPAT_HOST.exec(entry) ?? [];
      const [plane = ''] = base.split('/', 1);
      if (host === '')
        context.addIssue(`must be entries like codepush.example.com=codepush or host=expo/APP_KEY, not "${entry}"`);
      else if (!PLANES.includes(plane)) context.addIssue(`names "${plane}", but must name one of ${PLANES.join(', ')}`);
      else if (hosts.has(host)) context.addIssue(`names the host ${host} twice`);
      hosts.set(host, `${COMPAT_BASE}${base}`);
    }
    return hosts;
  })
  .default(new Map());

export const deviceUpdatesSettings = z.object({
  /**
   * Processes of device-updates that share its port, where it runs on its own. One that dies is
   * restarted and gets connections once its index is loaded; `/metrics` adds them up. Ignored in
   * single-process mode.
   */
  DEVICE_WORKERS: integer(1, 1, 256),
  /**
   * With an embedded state store: while less is free on its disk, device reports get 503 with
   * `Retry-After`. Uploads, changes and update checks continue. 0 switches it off.
   * @default 1 GiB or 5%, whichever is less
   */
  MIN_FREE_DISK_BYTES: wholeNumber().optional(),
  /**
   * How long a signed manifest or channel state is valid; it is signed again at about half of that
   * ([signing](guides/signing.md)).
   */
  MANIFEST_TTL_HOURS: integer(168, 1, 8_760),
  /**
   * Hosts that were taken over from another update server, separated by commas, each with the protocol of its clients:
   * `codepush.example.com=codepush`, or with an app key `ota.example.com=expo/APP_KEY`. A request to such a host is served as
   * if its path began with `/compat/codepush` or `/compat/expo/APP_KEY`, unless it begins with `/compat/`, `/files/` or `/api/v1/`.
   * Where each service runs on its own, let the proxy send all requests to the host to `device-updates`
   * ([Docker](operations/docker.md#the-proxy), [Helm](operations/helm.md)).
   */
  COMPAT_HOSTS: compatHosts,
});

export type DeviceUpdatesSettings = Settings & SettingsOf<typeof deviceUpdatesSettings>;
