import type { Attributes, Span as ApiSpan, SpanKind } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { traceparentParts, type TraceContext } from './trace-context';

export type { Attributes };

export interface SpanStart {
  readonly name: string;
  readonly kind: keyof typeof SpanKind;
  /** The `traceparent` of the cause; without a well-formed one a trace begins here. */
  readonly parent: string | undefined;
  /** The parent is a client's: its trace continues, but whether it is sent is decided here. */
  readonly fromClient?: boolean;
  readonly attributes?: Attributes;
}

/** A stretch of work. What it causes is handed its `traceparent`. */
export interface Span extends TraceContext {
  end(outcome?: { readonly failed?: boolean; readonly attributes?: Attributes }): void;
}

export interface Tracing {
  span(start: SpanStart): Span;
  /** Sends what was not sent yet, and ends. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** Of an OpenTelemetry collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** Names the process. */
  readonly service: string;
  readonly version: string;
  /**
   * The part of the traces that is sent, 0 to 1, of those that begin here and those of clients. Any other
   * follows its beginning.
   */
  readonly ratio: number;
  /**
   * Called once when traces start to be lost, with the reason, and once when the collector accepts them again, without
   * one. A lost batch is not sent again.
   */
  readonly deliveryChanged: (fault: Error | undefined) => void;
}

let started: Tracing | undefined;

/** Undefined unless this process sends traces: other callers pay only for this check. */
export const tracing = (): Tracing | undefined => started;

/** A span within the trace of `parent`; undefined without one, and where nothing is traced. */
export function spanWithin(parent: string | undefined, start: Omit<SpanStart, 'parent'>): Span | undefined {
  return parent === undefined ? undefined : started?.span({ ...start, parent });
}

/**
 * From now on spans are sent to a collector (OTLP over HTTP), in batches and at most once: what it
 * does not take is lost, and nothing waits for it. Loads OpenTelemetry, which no other module does.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint, service, version, ratio, deliveryChanged } = options;
  const [api, sdk, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(watched(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), deliveryChanged)),
    ],
  });
  const tracer = provider.getTracer('sluice', version);

  const ended = (span: ApiSpan, failed: boolean, attributes: Attributes): void => {
    span.setAttributes(attributes);
    if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end();
  };

  return (started = {
    span({ name, kind, parent, fromClient = false, attributes = {} }) {
      const parts = traceparentParts(parent);
      const context =
        parts === undefined
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, {
              traceId: parts.traceId,
              spanId: parts.spanId,
              // Drawn, as a client chooses its trace id too.
              traceFlags: fromClient ? Number(Math.random() < ratio) : parseInt(parts.flags, 16),
              isRemote: true,
            });
      const span = tracer.startSpan(name, { kind: api.SpanKind[kind], attributes }, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceId,
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end: ({ failed = false, attributes: more = {} } = {}) => ended(span, failed, more),
      };
    },
    async close() {
      started = undefined;
      await provider.shutdown();
    },
  });
}

/** OpenTelemetry itself reports a failed export nowhere. */
function watched(exporter: SpanExporter, deliveryChanged: TracingOptions['deliveryChanged']): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if ((error !== undefined) !== failing) {
          failing = error !== undefined;
          deliveryChanged(error);
        }
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
