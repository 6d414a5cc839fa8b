import type Setup from 'logrocket/setup';
import {
  defaultOf,
  flat,
  type Adapt,
  type Adapter,
  type KnownUser,
  type ReportBreadcrumb,
} from '../tracker/adapter.js';

declare global {
  interface Window {
    LogRocket?: unknown;
  }
}

const REMEMBERED = 200;

export const adapt: Adapt<'provider_6', { readonly default: typeof Setup }> = (load) => async (block, host) => {
  const setup = defaultOf(await load());
  const { appId, shouldCaptureIP, network, endpoint } = block;

  return (): Adapter => {
    const logRocket = setup(endpoint === undefined ? {} : { sdkServer: endpoint, ingestServer: endpoint });
    logRocket.init(appId ?? '', {
      ...(shouldCaptureIP !== undefined && { shouldCaptureIP }),
      network: {
        isEnabled: network?.isEnabled ?? false,
        ...(network?.requestSanitizer && { requestSanitizer: network.requestSanitizer }),
      },
      dom: { isEnabled: false },
      console: { isEnabled: false },
      shouldDetectExceptions: false,
      shouldAugmentNPS: false,
      shouldSendData: () => host.consented(),
    });

    let known = '';
    let tracked: string[] = [];

    function identify(user: KnownUser): void {
      const asked = JSON.stringify(user);
      if (asked === known) return;
      known = asked;
      const traits = flat({ email: user.email, name: user.username });
      if (user.id === undefined) logRocket.identify(traits);
      else logRocket.identify(user.id, traits);
    }

    function track(breadcrumb: ReportBreadcrumb): void {
      const { message, category, timestamp, data } = breadcrumb;
      const key = JSON.stringify(breadcrumb);
      if (tracked.includes(key)) return;
      tracked = [...tracked, key].slice(-REMEMBERED);
      logRocket.track(message, { ...flat({ ...data, category }), timestamp });
    }

    return {
      send({ error, severity, tags, extra, user, breadcrumbs }) {
        if (user) identify(user);
        breadcrumbs.forEach(track);
        logRocket.captureException(error, { tags: { ...tags, severity }, extra: flat(extra) });
        return Promise.resolve(undefined);
      },
      setUser(user) {
        if (user) {
          identify(user);
          return;
        }
        known = '';
        logRocket.startNewSession();
      },
      stop() {
        (logRocket as typeof logRocket & { uninstall(): void }).uninstall();
        delete window.LogRocket;
      },
    };
  };
};
