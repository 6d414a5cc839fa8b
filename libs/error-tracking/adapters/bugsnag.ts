import type Bugsnag from '@bugsnag/browser';
import type { Client } from '@bugsnag/browser';
import { defaultOf, type Adapt } from '../tracker/adapter.js';

export const adapt: Adapt<'provider_4', { readonly default: typeof Bugsnag }> = (load) => async (block, host) => {
  const bugsnag = defaultOf(await load());

  const connect = (): Client =>
    bugsnag.createClient({
      apiKey: block.apiKey,
      ...(block.releaseStage !== undefined && { releaseStage: block.releaseStage }),
      ...(block.appVersion !== undefined && { appVersion: block.appVersion }),
      ...(block.endpoint !== undefined && { endpoints: { notify: block.endpoint, sessions: block.endpoint } }),
      enabledReleaseStages: block.enabledReleaseStages ? [...block.enabledReleaseStages] : null,
      enabledBreadcrumbTypes: [],
      autoDetectErrors: false,
      autoTrackSessions: false,
      generateAnonymousId: false,
      trackInlineScripts: false,
      logger: null,
      onError: () => host.consented(),
    });

  let client: Client | undefined;
  return () => {
    const connected = (client ??= connect());
    return {
      async send({ error, severity, tags, extra, user, breadcrumbs, at }) {
        // The SDK stops after some events a page.
        connected.resetEventCount?.();
        const offered = await new Promise<boolean>((resolve, reject) => {
          let told = false;
          connected.notify(
            error,
            (event) => {
              told = true;
              event.severity = severity === 'debug' ? 'info' : severity === 'fatal' ? 'error' : severity;
              event.setUser(user?.id, user?.email, user?.username);
              event.addMetadata('tags', tags);
              event.addMetadata('extra', extra);
              event.addMetadata('context', { severity });
              event.device.time = new Date(at);
              event.breadcrumbs = breadcrumbs.map(({ message, category, timestamp, data }) =>
                Object.assign(new connected.Breadcrumb(), {
                  message,
                  type: 'manual' as const,
                  timestamp: new Date(timestamp),
                  metadata: { ...data, ...(category !== undefined && { category }) },
                }),
              );
            },
            (failure: Error | null) => {
              if (failure) reject(failure);
              else resolve(told);
            },
          );
        });
        if (offered) return undefined;
        return host.consented() ? 'enabledReleaseStages' : 'consent';
      },
    };
  };
};
