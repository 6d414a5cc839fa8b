import type { ServerResponse } from 'node:http';
import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Messaging } from '@sluice/messaging';
import type { AccessIndex } from '../access/access-index';
import type { ChangeListener, Changes } from './changes';
import { EventStreams } from './event-streams';
import type { Session, Sessions } from '../access/sessions';

const owner = { id: 1, name: 'operator', hash: 'first', suspended: false };
const session: Session = { id: 's', endsAt: 0, origin: 'http://x' };
const GREETING = 'retry: 2000\n\nevent: hello\ndata: {}\n\n';

class Response extends EventEmitter {
  text = '';
  writableLength = 0;
  writableEnded = false;
  destroyed = false;
  readonly socket = Object.assign(new EventEmitter(), { destroyed: false, readableEnded: false });
  readonly req = { socket: this.socket };
  writeHead = () => this;
  write(text: string): void {
    this.text += text;
  }
  end(): void {
    this.writableEnded = true;
    this.emit('close');
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

let key: string;
let goesOn: () => Promise<boolean>;
let listeners: Set<ChangeListener>;
let settled: Promise<void>;
let streams: EventStreams;

beforeEach(() => {
  jest.useFakeTimers();
  [key, listeners, settled] = ['first', new Set(), Promise.resolve()];
  goesOn = () => Promise.resolve(true);
  const changes = {
    settled: () => settled,
    listen: (listener: ChangeListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  streams = new EventStreams(
    changes as unknown as Changes,
    { state: { ownerById: () => ({ ...owner, hash: key }) } } as unknown as AccessIndex,
    { goesOn: () => goesOn() } as unknown as Sessions,
    { listen: () => () => undefined } as unknown as Messaging,
  );
});

afterEach(() => {
  streams.onApplicationShutdown();
  jest.useRealTimers();
});

async function open(by?: Session): Promise<Response> {
  const response = new Response();
  const raw = response as unknown as ServerResponse;
  await streams.open(owner, by, { hijack: () => undefined, raw } as unknown as FastifyReply);
  return response;
}
const beat = () => jest.advanceTimersByTimeAsync(15_000);

it('greets once everything is settled, and comes by every 15 s', async () => {
  let settle: () => void = () => undefined;
  settled = new Promise((resolve) => (settle = resolve));
  const response = await open();
  for (const listener of listeners) listener({ topic: 'apps', app: 7 }, [1]);
  expect(response.text).toBe('retry: 2000\n\n');
  settle();
  await jest.advanceTimersByTimeAsync(0);
  expect(response.text).toBe(GREETING);
  await beat();
  expect(response.text).toBe(`${GREETING}:\n\n`);
});

it('leaves nothing behind when the client goes', async () => {
  const response = await open();
  await beat();
  expect(listeners.size).toBe(1);
  response.destroy();
  expect(listeners.size).toBe(0);
});

it('drops a client that does not read', async () => {
  const response = await open();
  await jest.advanceTimersByTimeAsync(0);
  response.writableLength = 64 * 1024 + 1;
  for (const listener of listeners) listener({ topic: 'apps', app: 7 }, [1]);
  expect([response.destroyed, response.text, listeners.size]).toEqual([true, GREETING, 0]);
});

it('ends when its session has ended or its key was replaced without an event, and not while that is unknown', async () => {
  const [byKey, bySession] = [await open(), await open(session)];
  goesOn = () => Promise.reject(new Error('The state store is unavailable.'));
  await beat();
  expect([byKey.writableEnded, bySession.writableEnded]).toEqual([false, false]);
  goesOn = () => Promise.resolve(false);
  await beat();
  expect([byKey.writableEnded, bySession.writableEnded]).toEqual([false, true]);
  key = 'second';
  await beat();
  expect(byKey.writableEnded).toBe(true);
});

it('ends immediately in a process that stops', async () => {
  const before = await open();
  streams.stop();
  const after = await open();
  expect([before.writableEnded, after.writableEnded, after.text]).toEqual([true, true, 'retry: 2000\n\n']);
});
