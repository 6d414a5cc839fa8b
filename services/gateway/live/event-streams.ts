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
  // A proxy that keeps answers until they are whole would keep this one for ever.
  'X-Accel-Buffering': 'no',
  Connection: 'close',
} as const;

/** What the description of the route tells. */
export const STREAM_DESCRIPTION = [
  'Server-sent events. `event: hello` comes first: what is asked for from then on shows all that happened before, so ask for everything anew after each, also the first; nothing is replayed.',
  '`event: changed` carries `{"topic": …, "app": id or null, "id": …}`: what is shown of it should be asked for again, and already shows the change. `app` is the integer id of the app, null where none has it; `id` is left out where several things changed.',
  `Topics: ${changeTopicSchema.options.map((topic) => `\`${topic}\``).join(', ')}; \`listings\` is all of the listings-ads plane and goes to the operator alone, \`owner\` carries the owner’s id. Changes of a tenth of a second are told as one.`,
  'What devices report and how keys and tokens are used is no event and is not told.',
  `A comment comes every ${HEARTBEAT_MS / 1_000} s. The stream ends with the session or the owner key that it was begun with, at the latest with the next comment, and when the process stops. It does not count as a use of the session.`,
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

  /** Ends all streams, and those that are still asked for at once: whoever comes again finds another process. */
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
      // What is told before the greeting shows in what is asked for after it.
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
