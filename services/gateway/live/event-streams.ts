import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { changeTopicSchema } from '@sluice/contracts';
import { turnOf, UNCACHED } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { eventStreams } from '@sluice/telemetry';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { AccessIndex } from '../access/access-index';
import type { KnownOwner } from '../access/access-state';
import { Changes, type ChangeListener } from './changes';
import { Sessions, type Session } from '../access/sessions';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;
/** Of one owner on one process. */
const MAX_STREAMS = 100;
/** A client that has left so much unread is not coming back for it. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** On the bus: a session that was logged out. */
const SESSION_ENDED = 'sessionEnded';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  ...UNCACHED,
  // A proxy that buffers responses until they are complete would never deliver this one.
  'X-Accel-Buffering': 'no',
  Connection: 'close',
} as const;

/** The description of the route. */
export const STREAM_DESCRIPTION = [
  'Server-sent events. `event: hello` comes first, and again after a reconnection. Nothing is replayed: after each `hello`, also the first, request everything again.',
  '`event: changed` carries `{"topic": …, "app": id or null, "id": …}`: request what you show of it again; the response has the change. `app` is the integer id of the app, or null if the change belongs to none. `id` is omitted if several things changed.',
  `Topics: ${changeTopicSchema.options.map((topic) => `\`${topic}\``).join(', ')}; \`listings\` is the whole listings API and is sent only to the operator, \`owner\` carries the owner’s id. Changes within a tenth of a second are sent as one.`,
  'Reports of devices and the use of keys and tokens are not sent.',
  `A comment comes every ${HEARTBEAT_MS / 1_000} s. The stream ends when the session or the owner key that it was opened with ends, at the latest with the next comment, and when the process stops. An open stream does not keep its session alive.`,
].join(' ');

interface Stream {
  readonly owner: KnownOwner;
  readonly session: Session | undefined;
  readonly response: ServerResponse;
}

/** The open streams of changes on this process, each for as long as its credential counts. */
@Injectable()
export class EventStreams implements OnApplicationShutdown {
  private readonly streams = new Set<Stream>();
  private readonly heartbeat = setInterval(() => void this.beat(), HEARTBEAT_MS).unref();
  private readonly stopListening: () => void;
  private stopping = false;

  constructor(
    private readonly changes: Changes,
    private readonly access: AccessIndex,
    private readonly sessions: Sessions,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {
    this.stopListening = messaging.listen(SESSION_ENDED, ({ session }) =>
      this.endWhere((stream) => stream.session !== undefined && stream.session.id === session),
    );
  }

  onApplicationShutdown(): void {
    this.stop();
    clearInterval(this.heartbeat);
    this.stopListening();
  }

  /** Ends all streams, and each later one immediately: a client that reconnects reaches another process. */
  stop(): void {
    this.stopping = true;
    this.endWhere(() => true);
  }

  /** Ends the streams of a session on every process that hears of it; any other finds out by itself. */
  endOf({ id }: Session): void {
    this.messaging.announce(SESSION_ENDED, { session: id });
  }

  /** @throws DomainError TOO_MANY_STREAMS */
  async open(owner: KnownOwner, session: Session | undefined, reply: FastifyReply): Promise<void> {
    if (!(await turnOf(reply.raw))) {
      reply.hijack();
      return;
    }
    const own = [...this.streams].filter((stream) => stream.owner.id === owner.id);
    if (own.length >= MAX_STREAMS) {
      throw new DomainError(
        'TOO_MANY_STREAMS',
        `This owner has ${MAX_STREAMS} open streams of events here, and can have no more. Close one first.`,
        { retry_after: HEARTBEAT_MS / 1_000 },
      );
    }
    reply.hijack();
    const { raw: response } = reply;
    response.writeHead(200, HEADERS).write(`retry: ${RETRY_MS}\n\n`);
    // A client that ends its half of the connection has left.
    if (this.stopping || response.req.socket.readableEnded) response.end();
    else void this.follow({ owner, session, response });
  }

  private async follow(stream: Stream): Promise<void> {
    const { owner, response } = stream;
    this.streams.add(stream);
    eventStreams.set(this.streams.size);
    let greeted = false;
    const tell: ChangeListener = (change, owners) => {
      // A change before the greeting is visible to requests after it.
      if (greeted && owners.includes(owner.id)) {
        send(response, `event: changed\ndata: ${JSON.stringify(change)}\n\n`);
      }
      // Another key may end it.
      if (change.topic === 'owner' && change.id === owner.id) void this.endUnlessGood(stream);
    };
    const stop = this.changes.listen(tell);
    response.req.socket.once('end', () => response.end());
    response.once('close', () => {
      stop();
      this.streams.delete(stream);
      eventStreams.set(this.streams.size);
    });
    await this.changes.settled();
    greeted = true;
    send(response, 'event: hello\ndata: {}\n\n');
  }

  private async beat(): Promise<void> {
    await Promise.all([...this.streams].map((stream) => this.endUnlessGood(stream)));
    for (const { response } of this.streams) send(response, ':\n\n');
  }

  private async endUnlessGood(stream: Stream): Promise<void> {
    const { owner, session } = stream;
    const { state } = this.access;
    const present = state.ownerById(owner.id);
    const sameKey = present?.hash === owner.hash && !present.suspended;
    // While the sessions can't be read, nothing says that this one has ended.
    const goesOn = session === undefined || (await this.sessions.goesOn(session).catch(() => true));
    if (!sameKey || !goesOn) this.endWhere((each) => each === stream);
  }

  private endWhere(condition: (stream: Stream) => boolean): void {
    for (const stream of this.streams) if (condition(stream)) stream.response.end();
  }
}

function send(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  else response.write(text);
}
