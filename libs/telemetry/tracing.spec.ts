import { continueTrace, traceparentParts } from './trace-context';
import { startTracing, type Tracing } from './tracing';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT = '00f067aa0ba902b7';
const sampled = `00-${TRACE}-${CLIENT}-01`;
const unsampled = `00-${TRACE}-${CLIENT}-00`;

describe('a trace that a client began', () => {
  let tracing: Tracing;

  afterEach(() => tracing.close());

  const start = async (ratio: number) => {
    const deliveryChanged = () => undefined;
    tracing = await startTracing({
      ...{ endpoint: 'http://127.0.0.1:9', service: 'test', version: '0.0.0', ratio, deliveryChanged },
    });
  };
  /** `01` when the span will be sent. Spans that are never ended are not. */
  const flagsOf = (parent: string, fromClient: boolean) =>
    traceparentParts(tracing.span({ name: 'request', kind: 'SERVER', parent, fromClient }).traceparent);

  it.each([
    ['not sent although the client asks for it', 0, sampled, '00'],
    ['sent although the client asks for the opposite', 1, unsampled, '01'],
  ])('is continued, and %s', async (_, ratio, parent, flags) => {
    await start(ratio);
    expect(flagsOf(parent, true)).toMatchObject({ traceId: TRACE, flags });
  });

  it('is sampled for each request, whatever trace id the client chose', async () => {
    await start(0.5);
    // A sampler that decides by the id takes this one always.
    const parent = `00-${'0'.repeat(31)}1-${CLIENT}-01`;
    const flags = Array.from({ length: 200 }, () => flagsOf(parent, true)?.flags);
    expect(new Set(flags)).toEqual(new Set(['00', '01']));
  });

  it('keeps the decision of the gateway on the bus', async () => {
    await start(0.5);
    for (const [parent, flags] of [
      [sampled, '01'],
      [unsampled, '00'],
    ] as const) {
      expect(flagsOf(parent, false)).toMatchObject({ traceId: TRACE, flags });
    }
  });

  it('keeps its id, and not its flag, where this process sends no traces', () => {
    expect(traceparentParts(continueTrace(unsampled).traceparent)).toMatchObject({ traceId: TRACE, flags: '01' });
    expect(traceparentParts(continueTrace('nonsense').traceparent)?.flags).toBe('01');
  });
});
