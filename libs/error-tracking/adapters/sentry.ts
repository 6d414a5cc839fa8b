import type * as Sentry from '@sentry/browser';
import type { Adapt } from '../tracker/adapter.js';

/** The parts of the SDK that are used, so that bundlers can leave out the others. */
type Sdk = Pick<
  typeof Sentry,
  | 'BrowserClient'
  | 'Scope'
  | 'browserTracingIntegration'
  | 'defaultStackParser'
  | 'httpContextIntegration'
  | 'linkedErrorsIntegration'
  | 'makeFetchTransport'
  | 'setCurrentClient'
>;

export const adapt: Adapt<'provider_1', Sdk> = (load) => async (block, host) => {
  const sdk = await load();

  const waiting = new Map<string, (status: number | undefined) => void>();

  function connect(): Sentry.BrowserClient {
    const tracesSampleRate = block.tracesSampleRate ?? 0;
    const tracing = tracesSampleRate > 0;
    const client = new sdk.BrowserClient({
      dsn: block.dsn,
      ...(block.environment !== undefined && { environment: block.environment }),
      ...(block.release !== undefined && { release: block.release }),
      ...(tracing && { tracesSampleRate }),
      attachStacktrace: block.attachStacktrace ?? false,
      stackParser: sdk.defaultStackParser,
      integrations: [
        sdk.httpContextIntegration(),
        sdk.linkedErrorsIntegration(),
        ...(tracing ? [sdk.browserTracingIntegration()] : []),
      ],
      sendClientReports: false,
      beforeSend: (event) => (host.consented() ? event : null),
      transport: (transportOptions) => {
        const transport = sdk.makeFetchTransport(transportOptions);
        return {
          send: (envelope) => (host.consented() ? transport.send(envelope) : Promise.resolve({})),
          flush: (timeout) => transport.flush(timeout),
        };
      },
    });
    if (tracing) sdk.setCurrentClient(client);
    client.init();
    client.on('afterSendEvent', (event, response) => {
      waiting.get(event.event_id ?? '')?.(response.statusCode);
    });
    return client;
  }

  let client: Sentry.BrowserClient | undefined;
  return () => {
    const connected = (client ??= connect());
    return {
      async send(report) {
        const scope = new sdk.Scope();
        scope.setLevel(report.severity);
        scope.setTags(report.tags);
        scope.setExtras(report.extra);
        if (report.user) scope.setUser({ ...report.user });
        for (const breadcrumb of report.breadcrumbs) {
          scope.addBreadcrumb({ ...breadcrumb, timestamp: breadcrumb.timestamp / 1000 });
        }
        scope.addEventProcessor((event) => ({ ...event, timestamp: report.at / 1000 }));
        const id = report.message
          ? connected.captureMessage(report.error.message, report.severity, { syntheticException: report.error }, scope)
          : connected.captureException(report.error, { originalException: report.error }, scope);
        const status = await new Promise<number | undefined>((resolve) => waiting.set(id, resolve));
        waiting.delete(id);
        if (!host.consented()) return 'consent';
        if (status === undefined || status >= 400) throw new Error(`the collector answered ${status ?? 'nothing'}`);
        return undefined;
      },
    };
  };
};
