import type * as Datadog from '@datadog/browser-rum';
import { forget, type Adapt } from '../tracker/adapter.js';

/** Responds immediately, without a network. */
const NOWHERE = 'data:,';

export const adapt: Adapt<'provider_3', Pick<typeof Datadog, 'datadogRum'>> = (load) => async (block, host) => {
  const { datadogRum } = await load();

  /** A no is held at the last gate, where whatever the SDK still holds or tries again passes. */
  function address({ path, parameters }: { readonly path: string; readonly parameters: string }): string {
    if (!host.consented()) return NOWHERE;
    const { endpoint, site = 'datadoghq.com' } = block;
    return endpoint === undefined
      ? `https://browser-intake-${site.replace(/\.(?=.*\.)/g, '-')}${path}?${parameters}`
      : `${endpoint}/?ddforward=${encodeURIComponent(`${path}?${parameters}`)}`;
  }

  /**
   * The SDK opens its session some time after `init`, and again after a later yes. Until then it loses errors, either
   * when the page is left or immediately.
   */
  let begin = (): void => undefined;
  let begun = Promise.resolve();
  const close = (): void => {
    // Waiting errors are passed on, and the SDK drops them.
    begin();
    begun = new Promise((resolve) => (begin = resolve));
  };
  close();

  let initialized = false;
  return () => {
    if (initialized) {
      datadogRum.setTrackingConsent('granted');
    } else {
      initialized = true;
      datadogRum.init({
        clientToken: block.clientToken,
        applicationId: block.applicationId,
        ...(block.site !== undefined && { site: block.site }),
        service: block.service,
        env: block.env,
        proxy: address,
        trackingConsent: 'granted',
        sessionSampleRate: 100,
        sessionReplaySampleRate: 0,
        telemetrySampleRate: 0,
        trackAnonymousUser: false,
        trackUserInteractions: false,
        trackResources: false,
        trackLongTasks: false,
        silentMultipleInit: true,
        // Views can't be held back; the SDK needs one around each error.
        beforeSend: (event) => {
          if (event.type === 'view') {
            begin();
            return true;
          }
          return host.consented() && (event.type !== 'error' || event.error.source === 'custom');
        },
      });
    }
    return {
      async send({ error, severity, tags, extra, breadcrumbs, user }) {
        await begun;
        datadogRum.addError(error, { severity, tags, extra, breadcrumbs, user });
        return undefined;
      },
      setUser(user) {
        datadogRum.clearUser();
        const { id, email, username: name } = user ?? {};
        for (const [property, value] of Object.entries({ id, email, name })) {
          if (value !== undefined) datadogRum.setUserProperty(property, value);
        }
      },
      stop() {
        datadogRum.clearUser();
        datadogRum.setTrackingConsent('not-granted');
        close();
        forget('_dd_tab_id');
      },
    };
  };
};
