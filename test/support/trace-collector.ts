import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came over the wire. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty or left out for the first of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly service: string;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<SentSpan, 'service'>[] }[];
  }[];
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly SentSpan[];
  /** Everything that was sent, as text. */
  readonly text: string;
  /** Of every response, 200 at first. What is sent meanwhile counts as not accepted. */
  status: number;
  /** Batches that were not accepted. */
  readonly rejected: number;
  close(): Promise<void>;
}

/** Takes traces on loopback as an OpenTelemetry collector does (OTLP over HTTP, JSON). */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: SentSpan[] = [];
  let received = '';
  let status = 200;
  let rejected = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      if (status !== 200) {
        rejected += 1;
        response.writeHead(status).end();
        return;
      }
      received += text;
      for (const { resource, scopeSpans } of (JSON.parse(text) as Batch).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service })));
      }
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get text() {
      return received;
    },
    get status() {
      return status;
    },
    set status(next) {
      status = next;
    },
    get rejected() {
      return rejected;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
