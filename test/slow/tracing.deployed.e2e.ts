import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import { onEachDeployment, standalone, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { sluice } from '../support/process';
import { startTraceCollector, type SentSpan, type TraceCollector } from '../support/trace-collector';

const CALLER = '00f067aa0ba902b7';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

onEachDeployment('traces, $name', (kind) => {
  let collector: TraceCollector;
  let deployment: Deployment;
  let token: string;

  beforeAll(async () => {
    collector = await startTraceCollector();
    deployment = await kind.deploy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' });
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
  }, 180_000);

  afterAll(async () => {
    await deployment.destroy();
    await collector.close();
  }, 60_000);

  it('follow a request over the bus into its append and the projections of its events, as one tree', async () => {
    const answer = await fetch(`${deployment.gateways[0]!}/api/public/v1/apps`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        traceparent: `00-${TRACE}-${CALLER}-00`,
      },
      body: JSON.stringify({ name: 'Traced', platform: 'ios' }),
    });
    expect(answer.status).toBe(201);

    const ofRequest = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    const has = (name: string) => ofRequest().some((span) => span.name === name);
    const expected = [
      ...['POST /api/public/v1/apps', 'ask registry.createApp', 'registry.createApp'],
      ...['append apps', 'project apps'],
    ];
    await eventually(() => expected.every(has), { everyMs: 100 });

    const spans = ofRequest();
    const named = (name: string): SentSpan => {
      const span = spans.find((one) => one.name === name);
      if (!span) throw new Error(`No span ${name} in: ${spans.map((one) => one.name).join(', ')}`);
      return span;
    };
    expect(named('POST /api/public/v1/apps').parentSpanId).toBe(CALLER);
    for (const [child, parent] of expected.map((name, index) => [name, expected[index - 1]] as const)) {
      if (parent !== undefined) expect(named(child).parentSpanId).toBe(named(parent).spanId);
    }
    const services = new Set(spans.map(({ service }) => service));
    if (kind === standalone) expect([...services]).toEqual(['sluice-standalone']);
    else expect(services.has('sluice-gateway') && services.has('sluice-registry')).toBe(true);
  }, 60_000);

  it('hold no token, and start new where a caller sends none', async () => {
    const { status } = await management(deployment.gateways[0]!, token).get('/token');
    expect(status).toBe(200);
    const begun = () =>
      collector.spans.find(({ name, traceId }) => name === 'GET /api/public/v1/token' && traceId !== TRACE);
    await eventually(() => begun() !== undefined, { everyMs: 100 });
    expect(begun()?.parentSpanId ?? '').toBe('');
    expect(collector.text).not.toContain(token);
  }, 60_000);
});

describe('a collector that accepts no traces', () => {
  let collector: TraceCollector;
  let deployment: Deployment;

  beforeAll(async () => {
    collector = await startTraceCollector();
    collector.status = 400;
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
    deployment = await standalone.deploy({ ...endpoint, LOG_LEVEL: 'info' });
  }, 60_000);

  afterAll(async () => {
    await deployment.destroy();
    await collector.close();
  });

  it('is reported in the log once, and once when it accepts them again', async () => {
    const reported = () =>
      deployment.processes[0]!.log.map((line) => JSON.parse(line) as Record<string, string>)
        .filter(({ msg }) => /traces/i.test(msg!))
        .map(({ level, msg, reason }) => [level, msg, reason]);
    const requestsUntil = async (done: () => boolean) => {
      for (let wait = 0; wait < 150 && !done(); wait += 1) {
        await fetch(`${deployment.gateways[0]!}/api/public/v1/apps`);
        await delay(100);
      }
    };
    const lost = ['warn', 'Traces are lost: the collector does not accept them', 'Bad Request'];
    await requestsUntil(() => collector.rejected >= 3 && reported().length > 0);
    expect(reported()).toEqual([lost]);
    collector.status = 200;
    await requestsUntil(() => reported().length > 1);
    expect(reported()).toEqual([lost, ['info', 'The trace collector accepts traces again', undefined]]);
  });
});
