import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { EventLog, type LoggedEvent, type ProposedEvent } from './event-log';

/** What becomes of an append: without a status its connection breaks, and no answer is sent. */
export interface AppendFault {
  /** `partly`: its first event alone, as if the rest had not come. */
  readonly written: boolean | 'partly';
  readonly status?: status;
}

/**
 * A loopback server of EventStoreDB's wire protocol, to test its client with: it is no EventStoreDB,
 * and what passes against it is proven against no engine. It holds its log in memory and behaves
 * as the 23.10 line was measured to. Where it is asked to, it fails as that did.
 */
export interface EventStoreServer {
  readonly url: string;
  readonly log: EventLog;
  /** How often each method was called. */
  readonly calls: Readonly<Record<'append' | 'batchAppend' | 'read' | 'subscribe', number>>;
  /** What happens to the next appends, each of them once. */
  readonly faults: AppendFault[];
  /** So many live events may wait for a subscriber before it is dropped. Undefined: any number. */
  liveBuffer: number | undefined;
  /** Answers no read, while it appends. */
  refuseReads: boolean;
  /** What it lets its caller do: nothing, for the user or the password is wrong; all but read `$all`; or all. */
  rights: 'none' | 'streams' | 'all';
  /**
   * So many of the last records are not on the node that serves subscriptions; they catch up without them. With
   * `reads`, nor on the one that reads forwards. Another stream reports the head.
   */
  lag: { readonly records: number; readonly reads: boolean };
  /** Takes calls and answers nothing, until it is thawed; its connections live. */
  freeze(): void;
  thaw(): void;
  /** Ends every subscription as one whose consumer is too slow. */
  dropSubscribers(): void;
  /** Keeps the open ones and sends them nothing more, as a node does that its cluster can't reach. */
  abandonSubscribers(): void;
  /** Breaks every connection and rejects new ones; the log stays. */
  stop(): void;
  /** Listens again, at the same address. */
  start(): Promise<void>;
}

/** Servers that share one log, as a cluster does that has copied every record to all of its nodes. */
export interface EventStoreCluster {
  readonly nodes: readonly EventStoreServer[];
  /** `host:port` of every node. */
  readonly addresses: readonly string[];
  readonly log: EventLog;
  /**
   * Makes this node the leader, the first one at the beginning; undefined: none. The others refuse calls that want
   * the leader, and name it. A node that is frozen or stopped is dead to the others once another one leads.
   */
  elect(node: number | undefined): void;
  stop(): void;
}

/** What a node knows of its cluster. */
interface Membership {
  members(): readonly { readonly port: number; readonly state: MemberInfo.VNodeState; readonly alive: boolean }[];
  leader(): number | undefined;
}

export async function startEventStoreCluster(size = 3): Promise<EventStoreCluster> {
  const log = new EventLog();
  const { LEADER, FOLLOWER, UNKNOWN } = MemberInfo.VNodeState;
  let leader: number | undefined = 0;
  const membership: Membership = {
    members: () =>
      nodes.map((node, index) => ({
        port: node.port,
        state: index === leader ? LEADER : leader === undefined ? UNKNOWN : FOLLOWER,
        alive: index === leader || node.answers,
      })),
    leader: () => (leader === undefined ? undefined : nodes[leader]?.port),
  };
  const nodes = await Promise.all(Array.from({ length: size }, () => startNode({ log, membership })));
  return {
    nodes,
    addresses: nodes.map(({ port }) => `127.0.0.1:${port}`),
    log,
    elect: (node) => (leader = node),
    stop: () => nodes.forEach((node) => node.stop()),
  };
}

/** With a certificate it speaks TLS alone. */
export async function startEventStoreServer(
  tls?: Readonly<Record<'certificate' | 'key', string>>,
): Promise<EventStoreServer> {
  return startNode({ log: new EventLog(), ...(tls && { tls }) });
}

interface NodeOptions {
  readonly log: EventLog;
  readonly membership?: Membership;
  /** Files of PEM. */
  readonly tls?: Readonly<Record<'certificate' | 'key', string>>;
}

interface Node extends EventStoreServer {
  readonly port: number;
  /** Neither frozen nor stopped. */
  readonly answers: boolean;
}

async function startNode({ log, membership, tls }: NodeOptions): Promise<Node> {
  const faults: AppendFault[] = [];
  const calls = { append: 0, batchAppend: 0, read: 0, subscribe: 0 };
  const subscribers = new Set<Call>();
  const abandoned = new WeakSet<Call>();
  const thawed = new EventEmitter().setMaxListeners(0);
  let frozen = false;
  let port = 0;
  let server: Server | undefined;

  const unfrozen = async () => {
    if (frozen) await once(thawed, 'thaw');
  };
  const stop = () => {
    server?.forceShutdown();
    server = undefined;
  };
  const credentials = tls
    ? ServerCredentials.createSsl(null, [
        { cert_chain: readFileSync(tls.certificate), private_key: readFileSync(tls.key) },
      ])
    : ServerCredentials.createInsecure();
  const start = async () => {
    const listening = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    listening.addService(StreamsService, {
      append,
      read,
      batchAppend: (call: Call) => {
        calls.batchAppend += 1;
        fail(call, { code: status.UNIMPLEMENTED });
      },
    });
    listening.addService(ServerFeaturesService, {
      getSupportedMethods: (_call: unknown, answer: (error: null, methods: SupportedMethods) => void) =>
        answer(null, supported()),
    });
    listening.addService(GossipService, {
      read: (_call: unknown, answer: (error: null, info: ClusterInfo) => void) =>
        void unfrozen().then(() => answer(null, gossip())),
    });
    port = await new Promise<number>((resolve, reject) =>
      listening.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
    );
    server = listening;
  };

  const gossip = (): ClusterInfo => {
    const alone = [{ port, state: MemberInfo.VNodeState.LEADER, alive: true }];
    const members = (membership?.members() ?? alone).map(({ port: at, state, alive }) =>
      new MemberInfo()
        .setInstanceId(uuidOf(randomUUID()))
        .setTimeStamp(String(Date.now()))
        .setState(state)
        .setIsAlive(alive)
        .setHttpEndPoint(new EndPoint().setAddress('127.0.0.1').setPort(at)),
    );
    return new ClusterInfo().setMembersList(members);
  };

  /** Why it does not do what it is asked; undefined: it does. */
  const refusal = ({ metadata }: { readonly metadata: Metadata }, ofAll: boolean): Refusal | undefined => {
    if (rights === 'none') return { code: status.UNAUTHENTICATED, details: 'Received HTTP status code 401' };
    if (rights === 'streams' && ofAll) {
      return { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata: exception('access-denied') };
    }
    const leader = membership?.leader();
    if (membership === undefined || leader === port || metadata.get('requires-leader').length === 0) return undefined;
    if (leader === undefined) return { code: status.UNKNOWN, details: 'No leader info available in response' };
    const named = { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': String(leader) };
    return { code: status.NOT_FOUND, details: 'Leader info available', metadata: exception('not-leader', named) };
  };

  const append: handleClientStreamingCall<AppendReq, AppendResp> = (call, callback) => {
    calls.append += 1;
    const events: ProposedEvent[] = [];
    let options = new AppendReq.Options();
    call.on('error', () => undefined);
    call.on('data', (request: AppendReq) => {
      options = request.getOptions() ?? options;
      const message = request.getProposedMessage();
      if (message) events.push(proposed(message));
    });
    call.on('end', () => {
      void Promise.all([unfrozen(), nextTurn()]).then(() => {
        // Broken off by the client: what has come is not all of it.
        if (call.cancelled) return;
        const refused = refusal(call, false);
        if (refused) {
          callback(refused);
          return;
        }
        const fault = faults.shift();
        const brought = fault?.written === 'partly' ? events.slice(0, 1) : events;
        const written = fault?.written === false ? undefined : write(options, brought);
        if (fault?.status !== undefined) callback({ code: fault.status });
        else if (fault) {
          stop();
          void start();
        } else if (written) callback(null, written);
        else {
          const metadata = exception('maximum-append-size-exceeded', { 'maximum-append-size': '1048576' });
          callback({ code: status.INVALID_ARGUMENT, metadata });
        }
      });
    });
  };

  /** Undefined for more than the server takes in one call. */
  const write = (options: AppendReq.Options, events: readonly ProposedEvent[]): AppendResp | undefined => {
    const size = events.reduce(
      (sum, event) => sum + 2 * event.type.length + event.data.length + event.metadata.length,
      0,
    );
    if (size > 1_048_576) return undefined;
    // Neither "any" nor "exists" is what this store's users may ask for.
    const expected = options.hasRevision() ? Number(options.getRevision()) : options.hasNoStream() ? -1 : NaN;
    const outcome = log.append(nameOf(options.getStreamIdentifier()), expected, events);
    const response = new AppendResp();
    if ('last' in outcome) {
      const position = new AppendResp.Position();
      position.setCommitPosition(String(outcome.last.position)).setPreparePosition(String(outcome.last.position));
      const success = new AppendResp.Success();
      return response.setSuccess(success.setCurrentRevision(String(outcome.last.revision)).setPosition(position));
    }
    const conflict = new AppendResp.WrongExpectedVersion();
    if (outcome.actual < 0) conflict.setCurrentNoStream(new Empty());
    else conflict.setCurrentRevision(String(outcome.actual));
    return response.setWrongExpectedVersion(conflict);
  };

  const read: handleServerStreamingCall<ReadReq, ReadResp> = (call) => {
    call.on('error', () => undefined);
    const options = call.request.getOptions() ?? new ReadReq.Options();
    calls[options.hasSubscription() ? 'subscribe' : 'read'] += 1;
    if (refuseReads) {
      fail(call, { code: status.UNAVAILABLE });
      return;
    }
    void unfrozen()
      .then(() => {
        const refused = refusal(call, options.hasAll());
        if (refused) fail(call, refused);
        else return options.hasSubscription() ? subscribe(call, options) : readOnce(call, options);
        return undefined;
      })
      .catch(() => undefined);
  };

  const readOnce = async (call: Call, options: ReadReq.Options): Promise<void> => {
    const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
    const stream = options.getStream();
    const there = log.events.slice(0, log.events.length - (lag.reads && !backwards ? lag.records : 0));
    const events = stream ? log.stream(nameOf(stream.getStreamIdentifier())) : there;
    if (stream && events.length === 0) {
      const missing = new ReadResp.StreamNotFound();
      call.write(new ReadResp().setStreamNotFound(missing.setStreamIdentifier(stream.getStreamIdentifier())));
    }
    const at = options.getAll()?.getPosition()?.getCommitPosition();
    const from = stream?.hasRevision() ? Number(stream.getRevision()) : undefined;
    const chosen = events.filter(({ position, revision }) => {
      // Inclusive forwards, exclusive backwards.
      if (at !== undefined) return backwards ? position < BigInt(at) : position >= BigInt(at);
      return from === undefined || (backwards ? revision <= from : revision >= from);
    });
    const count = Math.min(Number(options.getCount()), chosen.length);
    for (const event of (backwards ? chosen.reverse() : chosen).slice(0, count)) await send(call, readEvent(event));
    await unfrozen();
    call.end();
  };

  const subscribe = async (call: Call, options: ReadReq.Options): Promise<void> => {
    const filter = options.getFilter();
    const expression = filter?.getStreamIdentifier();
    const pattern = expression?.getRegex() ? new RegExp(expression.getRegex()) : undefined;
    const matches = ({ stream }: LoggedEvent) =>
      !expression ||
      (pattern ? pattern.test(stream) : expression.getPrefixList().some((prefix) => stream.startsWith(prefix)));
    const window = (filter?.getMax() || 32) * (filter?.getCheckpointintervalmultiplier() || 1);
    const after = BigInt(options.getAll()?.getPosition()?.getCommitPosition() ?? 0);
    // Exclusive, but for the position of the very first record.
    let next = after === 0n ? 0 : log.events.findIndex(({ position }) => position > after);
    if (next === -1) next = log.events.length;
    let live = false;
    subscribers.add(call);
    call.on('close', () => subscribers.delete(call)).on('cancelled', () => subscribers.delete(call));
    const confirmation = new ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
    await send(call, new ReadResp().setConfirmation(confirmation));
    for (let looked = 0; subscribers.has(call);) {
      await unfrozen();
      if (abandoned.has(call)) return;
      const event = next < log.events.length - lag.records ? log.events[next] : undefined;
      if (event) {
        if (live && log.events.length - next > (liveBuffer ?? Infinity)) {
          drop(call);
          return;
        }
        next += 1;
        looked += 1;
        if (matches(event)) await send(call, readEvent(event));
        if (filter && looked % window === 0) await send(call, new ReadResp().setCheckpoint(checkpoint(event)));
      } else {
        if (!live) await send(call, new ReadResp().setCaughtUp(new ReadResp.CaughtUp()));
        live = true;
        if (next >= log.events.length - lag.records) await once(log.appended, 'append');
      }
    }
  };

  const drop = (call: Call) => {
    subscribers.delete(call);
    fail(call, { code: status.ABORTED });
  };

  let liveBuffer: number | undefined;
  let refuseReads = false;
  let rights: EventStoreServer['rights'] = 'all';
  let lag: EventStoreServer['lag'] = { records: 0, reads: false };
  await start();
  return {
    get url() {
      return `esdb://127.0.0.1:${port}?tls=${String(tls !== undefined)}`;
    },
    get port() {
      return port;
    },
    get answers() {
      return server !== undefined && !frozen;
    },
    log,
    calls,
    faults,
    get liveBuffer() {
      return liveBuffer;
    },
    set liveBuffer(size) {
      liveBuffer = size;
    },
    get refuseReads() {
      return refuseReads;
    },
    set refuseReads(refused) {
      refuseReads = refused;
    },
    get rights() {
      return rights;
    },
    set rights(given) {
      rights = given;
    },
    get lag() {
      return lag;
    },
    set lag(lagging) {
      lag = lagging;
    },
    freeze: () => (frozen = true),
    thaw: () => {
      frozen = false;
      thawed.emit('thaw');
    },
    dropSubscribers: () => [...subscribers].forEach(drop),
    abandonSubscribers: () => subscribers.forEach((call) => abandoned.add(call)),
    stop,
    start,
  };
}

type Call = ServerWritableStream<ReadReq, ReadResp>;

interface Refusal {
  readonly code: status;
  readonly details?: string;
  readonly metadata?: Metadata;
}

function fail(call: Call, refusal: Refusal): void {
  call.emit('error', { details: '', ...refusal });
}

async function send(call: Call, response: ReadResp): Promise<void> {
  if (!call.cancelled && !call.write(response)) await once(call, 'drain', { signal: endOf(call) });
}

const ends = new WeakMap<Call, AbortSignal>();

function endOf(call: Call): AbortSignal {
  const known = ends.get(call);
  if (known) return known;
  const end = new AbortController();
  for (const event of ['cancelled', 'close', 'error']) call.on(event, () => end.abort());
  ends.set(call, end.signal);
  return end.signal;
}

function proposed(message: AppendReq.ProposedMessage): ProposedEvent {
  return {
    id: message.getId()?.getString() ?? '',
    type: message.getMetadataMap().get('type') ?? '',
    contentType: message.getMetadataMap().get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

function readEvent(event: LoggedEvent): ReadResp {
  const { id, type, contentType, data, metadata, revision, position, created } = event;
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setStreamIdentifier(identifierOf(event.stream))
    .setId(uuidOf(id))
    .setStreamRevision(String(revision))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setData(data)
    .setCustomMetadata(metadata);
  const facts = recorded.getMetadataMap();
  facts
    .set('type', type)
    .set('content-type', contentType)
    .set('created', String(BigInt(created) * 10_000n));
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(position)));
}

function checkpoint({ position }: LoggedEvent): ReadResp.Checkpoint {
  return new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position));
}

function nameOf(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
}

function identifierOf(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream)));
}

function uuidOf(id: string): UUID {
  return new UUID().setString(id);
}

function exception(name: string, facts: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries({ exception: name, ...facts })) metadata.set(key, value);
  return metadata;
}

/** It offers batches, as the 23.10 line does: who avoids them does so by choice. */
function supported(): SupportedMethods {
  const batch = new SupportedMethod();
  batch.setServiceName('event_store.client.streams.Streams').setMethodName('BatchAppend');
  return new SupportedMethods().setEventStoreServerVersion('loopback').setMethodsList([batch]);
}
