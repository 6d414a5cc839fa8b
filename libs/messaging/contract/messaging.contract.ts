import { Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { defineCall, type Caller } from '@sluice/contracts';
import {
  DomainError,
  EngineUnavailableError,
  UnavailableError,
  ValidationError,
  type JsonObject,
  type Logger,
} from '@sluice/kernel';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MAX_PACKET_BYTES, PacketTooLargeError, type Messaging, type Observer } from '../port';
import { RpcErrorFilter } from '../rpc';
import { answer, answerCalls } from '../serve-calls';
import { recordingLogger, type RecordingLogger } from '@sluice/testing';

/** One bus that processes connect to. */
export interface Bus {
  connect(): Promise<Messaging>;
  /** After every Messaging is closed. */
  close(): Promise<void>;
}

const jsonSchema = z.json();
const echo = defineCall('contract.echo', z.object({ value: jsonSchema }), z.object({ value: jsonSchema }));
const whoCalls = defineCall(
  'contract.whoCalls',
  z.object({}),
  z.object({
    actor: z.string(),
    commandId: z.string(),
    traceparent: z.string().optional(),
    bodyHash: z.string().optional(),
  }),
);
const refuse = defineCall('contract.refuse', z.object({ how: z.string() }), z.object({}));
const strict = defineCall(
  'contract.strict',
  z.object({ name: z.string().min(3), channel: z.object({ percentage: z.int() }) }),
  z.object({}),
);
const text = defineCall('contract.text', z.object({ length: z.int() }), z.object({ text: z.string() }));
const held = defineCall('contract.held', z.object({ id: z.int() }), z.object({ id: z.int() }));
const nothing = defineCall('contract.nothing', z.object({}), z.undefined());
const unspeakable = defineCall('contract.unspeakable', z.object({}), z.unknown());
const unserved = defineCall('contract.unserved', z.object({}), z.object({}));

const caller: Caller = { actor: 'token:7', commandId: 'c0ffee' };

class DocumentStoreUnavailableError extends EngineUnavailableError {
  readonly engine = 'document store';
}

const refusals: Readonly<Record<string, () => DomainError>> = {
  domain: () => new DomainError('APP_NOT_FOUND', 'There is no app 7.', { id: 7 }),
  plain: () => new DomainError('KEY_REVOKED', 'It is gone.'),
  validation: () => new ValidationError({ name: ['is too short', 'is not a name'] }),
  unavailable: () => new UnavailableError('The vault is unavailable.', 17),
  undone: () => new UnavailableError('The vault is unavailable.', 1, 'no'),
};

const faults: Readonly<Record<string, () => Error>> = {
  engine: () => new DocumentStoreUnavailableError('connect ECONNREFUSED mongodb://user:hunter2@db'),
  bug: () => new TypeError('hunter2 is not a function'),
};

/** Handlers of `held` wait here until a test lets them go. */
class Gate {
  private readonly arrivals: ((id: number) => void)[] = [];
  private open: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  arrived(): Promise<number> {
    return new Promise((resolve) => this.arrivals.push(resolve));
  }

  async pass(id: number): Promise<void> {
    this.arrivals.shift()?.(id);
    await this.opened;
  }

  release(): void {
    this.open();
  }
}

/** A replica of the service `contract`, as a process's main would start it. */
interface Replica {
  readonly app: INestMicroservice;
  readonly gate: Gate;
  readonly logger: RecordingLogger;
  readonly echoed: unknown[];
  /** The pattern of each request, and how it ended. */
  readonly observed: [string, 'answered' | 'refused'][];
}

async function startReplica(messaging: Messaging): Promise<Replica> {
  const gate = new Gate();
  const logger = recordingLogger();
  const echoed: unknown[] = [];
  const observed: Replica['observed'] = [];
  const observe: Observer = ({ pattern, headers }) => {
    const name = `${pattern} for ${headers.get('sluice-actor')}`;
    return (outcome) => observed.push([name, outcome]);
  };

  const controller = answerCalls([
    answer(echo, ({ value }) => {
      echoed.push(value);
      return { value };
    }),
    answer(whoCalls, (_, who) => who),
    answer(refuse, ({ how }) => {
      const fault = refusals[how] ?? faults[how];
      if (fault) throw fault();
      return Promise.reject(new Error('rejected hunter2'));
    }),
    answer(strict, () => ({})),
    answer(text, ({ length }) => ({ text: incompressible(length) })),
    answer(held, async ({ id }) => {
      await gate.pass(id);
      return { id };
    }),
    answer(nothing, () => Promise.resolve(undefined)),
    answer(unspeakable, () => ({ number: 1n })),
  ]);

  @Module({ controllers: [controller] })
  class ContractModule {}

  const transport: MicroserviceOptions = { strategy: messaging.server('contract', observe) };
  const app = await NestFactory.createMicroservice(ContractModule, transport);
  app.useGlobalFilters(new RpcErrorFilter(logger));
  await app.listen();
  return { app, gate, logger, echoed, observed };
}

/** Random base64: gzip wins a quarter at most. */
function incompressible(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64')
    .slice(0, length);
}

async function refusalOf(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => {
      throw new Error('The request was answered.');
    },
    (error: unknown) => error,
  );
}

/** What every transport of Messaging promises, with real Nest microservices on it. */
export function messagingContract(openBus: (logger: Logger) => Promise<Bus>): void {
  const busLogger = recordingLogger();
  let bus: Bus;
  let opened: Messaging[];
  let running: INestMicroservice[];

  const connect = async () => {
    const messaging = await bus.connect();
    opened.push(messaging);
    return messaging;
  };
  const start = async () => {
    const replica = await startReplica(await connect());
    running.push(replica.app);
    return replica;
  };

  beforeEach(async () => {
    opened = [];
    running = [];
    busLogger.lines.length = 0;
    bus = await openBus(busLogger);
  });

  afterEach(async () => {
    await Promise.all(running.map((app) => app.close()));
    await Promise.all(opened.map((messaging) => messaging.close()));
    await bus.close();
  });

  describe('a request', () => {
    it('brings JSON there and back, unchanged', async () => {
      await start();
      const client = await connect();
      const value = { list: [1, 'zwei', null, { true: false }], umlaut: 'Grüße 🚀', nested: { '': 0.5 }, quote: '"\\' };
      await expect(client.request(echo, { value }, caller)).resolves.toEqual({ value });
      await expect(client.request(echo, { value: null }, caller)).resolves.toEqual({ value: null });
      await expect(client.request(nothing, {}, caller)).resolves.toBeUndefined();
    });

    it('returns the reply as text from requestRaw, and rejects as always', async () => {
      await start();
      const client = await connect();
      const value = { umlaut: 'Grüße 🚀', nested: { '': 0.5 }, quote: '"\\' };
      await expect(client.requestRaw(echo, { value }, caller)).resolves.toBe(JSON.stringify({ value }));
      await expect(client.requestRaw(nothing, {}, caller)).resolves.toBe('null');
      const large = await client.requestRaw(text, { length: 2 * MAX_PACKET_BYTES }, caller);
      expect(text.reply.parse(JSON.parse(large)).text).toHaveLength(2 * MAX_PACKET_BYTES);
      const error = await refusalOf(client.requestRaw(refuse, { how: 'domain' }, caller));
      expect(error).toMatchObject({ code: 'APP_NOT_FOUND', details: { id: 7 } });
    });

    it('passes copies, never references', async () => {
      const { echoed } = await start();
      const client = await connect();
      const value = { inner: { changed: false } };
      const answer = await client.request(echo, { value }, caller);
      expect(echoed[0]).toEqual(value);
      expect(echoed[0]).not.toBe(value);
      expect(answer.value).not.toBe(value);
      expect(answer.value).not.toBe(echoed[0]);
    });

    it('passes the caller and its trace to the handler', async () => {
      await start();
      const client = await connect();
      const full: Caller = {
        actor: 'owner:1',
        commandId: '5b6a3d1e-0c55-4f4e-9f55-1c2d3e4f5a6b',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        bodyHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      };
      await expect(client.request(whoCalls, {}, full)).resolves.toEqual(full);
      await expect(client.request(whoCalls, {}, caller)).resolves.toEqual(caller);
      await expect(
        client.request(whoCalls, {}, { ...caller, commandId: 'a\r\nsluice-actor: owner:1' }),
      ).rejects.toThrow(TypeError);
    });

    it('is answered once when a hundred are shared by two replicas', async () => {
      const replicas = [await start(), await start()];
      const client = await connect();
      const asked = Array.from({ length: 100 }, (_, index) => index);
      const answers = await Promise.all(asked.map((value) => client.request(echo, { value }, caller)));
      expect(answers.map(({ value }) => value)).toEqual(asked);
      const handled = replicas.map(({ echoed }) => echoed.length);
      expect(handled[0]! + handled[1]!).toBe(100);
      expect(Math.min(...handled)).toBeGreaterThan(0);
    });

    it('waits for a service that does not listen yet', async () => {
      const client = await connect();
      const answer = client.request(echo, { value: 'early' }, caller);
      await start();
      await expect(answer).resolves.toEqual({ value: 'early' });
    });

    it('is rejected as unavailable without a reply in time, and as not done when no process received it', async () => {
      const { gate } = await start();
      const client = await connect();
      const late = await refusalOf(client.request(held, { id: 1 }, caller, { timeoutMs: 50 }));
      expect(late).toBeInstanceOf(UnavailableError);
      expect(late).toMatchObject({ done: 'unknown' });
      const unheard = await refusalOf(client.request(unserved, {}, caller, { timeoutMs: 50 }));
      expect(unheard).toBeInstanceOf(UnavailableError);
      expect(unheard).toMatchObject({ done: 'no' });
      gate.release();
    });
  });

  describe('a refusal', () => {
    it('arrives as the handler threw it', async () => {
      const { logger } = await start();
      const client = await connect();
      for (const how of ['domain', 'plain', 'validation', 'unavailable', 'undone']) {
        const expected = refusals[how]!();
        const error = await refusalOf(client.request(refuse, { how }, caller));
        expect(error).toBeInstanceOf(expected.constructor);
        const { name, code, message, details } = expected;
        expect(error).toMatchObject({ name, code, message, ...(details && { details }) });
      }
      await expect(client.request(refuse, { how: 'unavailable' }, caller)).rejects.toMatchObject({
        retryAfterSeconds: 17,
        done: 'unknown',
      });
      await expect(client.request(refuse, { how: 'undone' }, caller)).rejects.toMatchObject({ done: 'no' });
      expect(logger.lines).toEqual([]);
    });

    it('names every field of a body that does not fit', async () => {
      await start();
      const client = await connect();
      const invalid = { name: 'ab', channel: { percentage: 1.5 } };
      const error = await refusalOf(client.request(strict, invalid, caller));
      expect(error).toBeInstanceOf(ValidationError);
      expect(Object.keys((error as ValidationError).errors)).toEqual(['name', 'channel.percentage']);
    });

    it('is rejected with "try again" when an engine is unavailable, without its details', async () => {
      await start();
      const client = await connect();
      const error = await refusalOf(client.request(refuse, { how: 'engine' }, caller));
      expect(error).toBeInstanceOf(UnavailableError);
      expect((error as UnavailableError).details).toEqual({ retry_after: 1 });
      expect((error as UnavailableError).message).not.toContain('hunter2');
    });

    it.each(['bug', 'rejection'])('of a %s leaks nothing but an error id, under which it is logged', async (how) => {
      const { logger } = await start();
      const client = await connect();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const error = await refusalOf(client.request(refuse, { how }, { ...caller, traceparent }));
      const cause: unknown = expect.objectContaining({ message: expect.stringContaining('hunter2') });
      const fields = { err: cause, error_id: expect.any(String), trace_id: '0af7651916cd43dd8448eb211c80319c' };
      expect(logger.lines).toEqual([{ level: 'error', message: 'A request failed', fields }]);
      const { error_id: errorId } = logger.lines[0]!.fields as { readonly error_id: string };
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ code: 'INTERNAL_ERROR', details: { error_id: errorId } });
      expect(JSON.stringify([error, (error as Error).message])).not.toMatch(/hunter2|contract\.ts/);
    });
  });

  it('logs an answer that can not be sent, with the trace of the request', async () => {
    await start();
    const client = await connect();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await refusalOf(client.request(unspeakable, {}, { ...caller, traceparent }));
    const fields = { err: expect.any(TypeError) as unknown, trace_id: '0af7651916cd43dd8448eb211c80319c' };
    const message = expect.stringContaining('TypeError: Do not know how to serialize a BigInt') as string;
    expect(busLogger.lines).toEqual([{ level: 'error', message, fields }]);
  });

  it('has every request seen by the observer of its server, and how it ends', async () => {
    const { observed } = await start();
    const client = await connect();
    await client.request(echo, { value: 1 }, caller);
    await expect(client.request(refuse, { how: 'domain' }, caller)).rejects.toThrow(DomainError);
    await expect(client.request(unspeakable, {}, caller)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(observed).toEqual([
      ['contract.echo for token:7', 'answered'],
      ['contract.refuse for token:7', 'refused'],
      ['contract.unspeakable for token:7', 'refused'],
    ]);
  });

  describe('a large message', () => {
    it('is refused before it is sent when it is a request', async () => {
      const { echoed } = await start();
      const client = await connect();
      const error = await refusalOf(client.request(echo, { value: 'x'.repeat(MAX_PACKET_BYTES) }, caller));
      expect(error).toBeInstanceOf(PacketTooLargeError);
      expect(error).toMatchObject({ pattern: 'contract.echo', bytes: MAX_PACKET_BYTES + '{"value":""}'.length });
      expect(() => client.announce('news', { text: 'x'.repeat(MAX_PACKET_BYTES) })).toThrow(PacketTooLargeError);
      expect(echoed).toEqual([]);
    });

    it('counts bytes, not characters', async () => {
      await start();
      const client = await connect();
      const value = '€'.repeat(MAX_PACKET_BYTES / 3);
      await expect(client.request(echo, { value }, caller)).rejects.toThrow(PacketTooLargeError);
    });

    it.each([1_000, 65_536, 300_000, 700_000, 3_000_000])(
      'of %i characters arrives when it is a reply',
      async (length) => {
        await start();
        const client = await connect();
        const [one, other] = await Promise.all([
          client.request(text, { length }, caller),
          client.request(text, { length }, caller),
        ]);
        expect(one.text).toHaveLength(length);
        expect(other.text).toHaveLength(length);
        expect(one.text).not.toBe(other.text);
      },
    );

    it('comes back unchanged when it is a request of almost the limit', async () => {
      await start();
      const client = await connect();
      const value = incompressible(MAX_PACKET_BYTES - 2_048);
      const answer = await client.request(echo, { value }, caller);
      expect(answer.value === value).toBe(true);
    });
  });

  describe('stopping a service', () => {
    it('answers what is in flight and takes nothing new', async () => {
      const first = await start();
      const client = await connect();
      const arrived = first.gate.arrived();
      const inFlight = client.request(held, { id: 1 }, caller);
      await arrived;

      let stopped = false;
      const stopping = first.app.close().then(() => (stopped = true));
      const second = await start();
      await expect(client.request(echo, { value: 'for the second' }, caller)).resolves.toBeDefined();
      expect(second.echoed).toEqual(['for the second']);
      expect(stopped).toBe(false);

      first.gate.release();
      await expect(inFlight).resolves.toEqual({ id: 1 });
      await stopping;
    });

    it('lets a client that closes wait for its answers, and rejects new questions', async () => {
      const { gate } = await start();
      const client = await bus.connect();
      const arrived = gate.arrived();
      const inFlight = client.request(held, { id: 2 }, caller);
      await arrived;
      const closing = client.close();
      await expect(client.request(echo, { value: 1 }, caller)).rejects.toMatchObject({ done: 'no' });
      gate.release();
      await expect(inFlight).resolves.toEqual({ id: 2 });
      await closing;
    });

    it('handles no request that was rejected as not received when its client closed', async () => {
      const { echoed } = await start();
      const client = await bus.connect();
      const asked = client.request(echo, { value: 'now or never' }, caller);
      const [[outcome]] = await Promise.all([Promise.allSettled([asked]), client.close()]);
      const unheard = outcome.status === 'rejected' && (outcome.reason as UnavailableError).done === 'no';
      // Within one process it would come with the next turn of the event loop.
      await new Promise(setImmediate);
      expect(echoed).toHaveLength(unheard ? 0 : 1);
    });
  });

  describe('an announcement', () => {
    const collect = (messaging: Messaging, topic: string, count: number) => {
      const heard: JsonObject[] = [];
      let stop: () => void = () => undefined;
      const complete = new Promise<JsonObject[]>((resolve) => {
        stop = messaging.listen(topic, (body) => {
          heard.push(body);
          if (heard.length === count) resolve(heard);
        });
      });
      return { heard, complete, stop };
    };

    it('reaches every listener, the sender included, in the order of sending', async () => {
      const [one, two, three] = [await connect(), await connect(), await connect()];
      const listeners = [one, two, three].map((messaging) => collect(messaging, 'positions', 400));
      await Promise.all(opened.map((messaging) => messaging.ping()));
      for (let number = 0; number < 200; number += 1) {
        one.announce('positions', { from: 'one', number });
        two.announce('positions', { from: 'two', number });
      }
      for (const { complete } of listeners) {
        const heard = await complete;
        for (const sender of ['one', 'two']) {
          const numbers = heard.filter(({ from }) => from === sender).map(({ number }) => number);
          expect(numbers).toEqual(Array.from({ length: 200 }, (_, number) => number));
        }
      }
    });

    it('is delivered later, as a copy, and only on its own topic', async () => {
      const messaging = await connect();
      const { heard, complete } = collect(messaging, 'news', 1);
      const other = collect(messaging, 'gossip', 1);
      await messaging.ping();
      const body = { list: [1] };
      messaging.announce('news', body);
      expect(heard).toEqual([]);
      body.list.push(2);
      await expect(complete).resolves.toEqual([{ list: [1] }]);
      expect(other.heard).toEqual([]);
    });

    it('no longer reaches a listener that stopped, nor is held up by one that fails', async () => {
      const messaging = await connect();
      const failure = new Error('This listener fails.');
      messaging.listen('news', () => {
        throw failure;
      });
      const stopped = collect(messaging, 'news', 1);
      const staying = collect(messaging, 'news', 2);
      await messaging.ping();
      messaging.announce('news', { number: 1 });
      await stopped.complete;
      stopped.stop();
      messaging.announce('news', { number: 2 });
      await expect(staying.complete).resolves.toEqual([{ number: 1 }, { number: 2 }]);
      expect(stopped.heard).toEqual([{ number: 1 }]);
      const line = { level: 'error', message: 'Error: This listener fails.', fields: { err: failure } };
      expect(busLogger.lines).toEqual([line, line]);
    });
  });
}
