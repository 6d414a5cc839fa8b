import type Rollbar from 'rollbar';
import { defaultOf, forget, type Adapt, type ErrorReport } from '../tracker/adapter.js';

export const adapt: Adapt<'provider_5', { readonly default: typeof Rollbar }> = (load) => async (block, host) => {
  const Client = defaultOf(await load());
  const reports = new WeakMap<object, ErrorReport>();
  let rollbar: Rollbar | undefined;

  function complete(data: Rollbar.Dictionary, item: Rollbar.Dictionary): void {
    const report = reports.get(item['err'] as object);
    const user = report?.user ?? host.user();
    if (user) data['person'] = { id: null, ...user };
    if (!report) return;
    const { severity, tags, extra } = report;
    // Handed to the SDK with the error, its lists would arrive as objects.
    const custom = { severity, tags, extra };
    const { scrub, options } = rollbar as { scrub?: Rollbar.ScrubType; options?: Rollbar.Configuration };
    data['custom'] = scrub?.(custom, options?.scrubFields) ?? custom;
    data['timestamp'] = Math.round(report.at / 1000);
    (data['body'] as Rollbar.Dictionary)['telemetry'] = report.breadcrumbs.map(({ timestamp, ...body }) => ({
      level: 'info',
      type: 'manual',
      source: 'client',
      timestamp_ms: timestamp,
      body,
    }));
  }

  const connect = (): Rollbar =>
    new Client({
      accessToken: block.accessToken,
      ...(block.environment !== undefined && { environment: block.environment }),
      ...(block.endpoint !== undefined && { endpoint: `${block.endpoint}/api/1/item/` }),
      captureUncaught: block.captureUncaught ?? false,
      captureUnhandledRejections: block.captureUnhandledRejections ?? false,
      autoInstrument: false,
      includeItemsInTelemetry: false,
      ignoreDuplicateErrors: false,
      inspectAnonymousErrors: false,
      transform: complete,
      checkIgnore: () => !host.consented(),
    });

  return () => {
    const connected = (rollbar ??= connect());
    connected.configure({ enabled: true });
    return {
      async send(report) {
        const { error, severity } = report;
        reports.set(error, report);
        await new Promise<void>((resolve, reject) => {
          connected[severity === 'fatal' ? 'critical' : severity](error, (failure: Rollbar.MaybeError) => {
            if (failure) reject(failure);
            else resolve();
          });
        });
        return undefined;
      },
      stop() {
        connected.configure({ enabled: false });
        forget('RollbarSession');
      },
    };
  };
};
