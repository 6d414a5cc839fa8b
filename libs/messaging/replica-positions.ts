import { replicaSchema, type Replica } from '@sluice/contracts';
import type { Position } from '@sluice/event-store';
import { newUlid, type Clock, type JsonObject } from '@sluice/kernel';
import { z } from 'zod';
import type { Messaging } from './port';

/** A process that answers from memory (ARCHITECTURE, "Answers from memory"). */
export interface LiveMember {
  /**
   * Resolves once every process has heard of this member (`announcementDelayMs` after it joined).
   * A head that is read from then on is recent enough.
   */
  readonly announced: Promise<void>;
  /** Sent to waiters on every change and once a second. */
  applied(position: Position): void;
  /** Leaves, so that no process waits for it any longer. */
  leave(): void;
}

export interface ReplicaPositions {
  /**
   * Joins as a process that answers from these streams. Call it before the head is read: changes
   * made from here on wait for this member.
   */
  join(service: string, prefixes: readonly string[]): LiveMember;
  /**
   * Waits until every live member that answers from the stream has applied the position, or counts
   * as gone (3 s of silence). After 4 s it answers false: someone may still serve the state before.
   */
  applied(stream: string, position: Position): Promise<boolean>;
  /**
   * Every replica that announced itself within the last 3 s, of this process too. A release that announces no format
   * is found by its members alone, under their ids.
   */
  replicas(): Promise<Replica[]>;
  /** Leaves for every member of this process; waiters get false. */
  close(): void;
}

export interface ReplicaPositionsOptions {
  readonly messaging: Messaging;
  readonly clock: Clock;
  /** What this process announces itself as. Left out: only its members are announced. */
  readonly replica?: Replica;
  /** Told whenever `applied` gave up, with the services that were still behind. */
  readonly onLate?: (stream: string, services: readonly string[]) => void;
}

const TOPIC = 'members';
const ANNOUNCE_MS = 1_000;
const GONE_MS = 3_000;
const PATIENCE_MS = 4_000;
const TICK_MS = 250;

const messageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('here'),
    member: z.string(),
    service: z.string(),
    prefixes: z.array(z.string()),
    position: z.string(),
    replica: replicaSchema.optional(),
  }),
  z.object({ kind: z.literal('gone'), member: z.string() }),
  z.object({ kind: z.literal('whoIsThere') }),
]);

interface Member {
  readonly service: string;
  readonly prefixes: readonly string[];
  readonly position: Position;
}

interface Waiter {
  readonly stream: string;
  readonly position: Position;
  readonly settle: (applied: boolean) => void;
}

/**
 * One per process. It listens from its creation on and immediately asks for the other members. `applied` waits until the answers
 * must have arrived.
 */
export function createReplicaPositions({
  messaging,
  clock,
  replica,
  onLate,
}: ReplicaPositionsOptions): ReplicaPositions {
  const own = new Map<string, Member>();
  const others = new Map<string, Member & { readonly heardAt: number; readonly replica?: Replica | undefined }>();
  const waiters = new Set<Waiter>();
  const changed = new Set<string>();

  // A pause of this process is not the others' silence: of each tick, at most two ticks count.
  let awake = 0;
  let tickedAt = clock.monotonic();

  const stopListening = messaging.listen(TOPIC, hear);
  messaging.announce(TOPIC, { kind: 'whoIsThere' });
  // Where the delay is 0, the question and its answers still take a turn of the event loop each.
  let heardEverybody = false;
  let heardAll: NodeJS.Timeout | undefined;
  const everybodyHeard = new Promise<void>((resolve) => {
    const heard = (): void => {
      heardEverybody = true;
      answerWaiters();
      resolve();
    };
    heardAll = setTimeout(() => setImmediate(() => setImmediate(heard)), messaging.announcementDelayMs).unref();
  });
  const tick = setInterval(() => {
    const now = clock.monotonic();
    awake += Math.min(now - tickedAt, 2 * TICK_MS);
    tickedAt = now;
    for (const [id, { heardAt }] of others) if (awake - heardAt >= GONE_MS + TICK_MS) others.delete(id);
    answerWaiters();
  }, TICK_MS).unref();
  const announcing = setInterval(announceAll, ANNOUNCE_MS).unref();

  function hear(body: JsonObject): void {
    const { data: message } = messageSchema.safeParse(body);
    if (message?.kind === 'whoIsThere') announceAll();
    if (message?.kind === 'here' && !own.has(message.member)) {
      others.set(message.member, { ...message, heardAt: awake });
      answerWaiters();
    }
    if (message?.kind === 'gone' && others.delete(message.member)) answerWaiters();
  }

  function announce(id: string): void {
    const member = own.get(id);
    if (member) messaging.announce(TOPIC, { kind: 'here', member: id, ...member, ...(replica && { replica }) });
  }

  function add(service: string, prefixes: readonly string[]): string {
    const id = newUlid();
    own.set(id, { service, prefixes, position: '' });
    announce(id);
    return id;
  }

  function announceAll(): void {
    for (const id of own.keys()) announce(id);
  }

  function announceSoon(id: string): void {
    if (changed.size === 0) {
      setImmediate(() => {
        for (const member of changed) announce(member);
        changed.clear();
      });
    }
    changed.add(id);
  }

  function behind(stream: string, position: Position): Member[] {
    return [...own.values(), ...others.values()].filter(
      (member) => member.position < position && member.prefixes.some((prefix) => stream.startsWith(prefix)),
    );
  }

  function answerWaiters(): void {
    if (!heardEverybody) return;
    for (const { stream, position, settle } of waiters) if (behind(stream, position).length === 0) settle(true);
  }

  if (replica !== undefined) add(replica.service, []);

  return {
    join(service, prefixes) {
      const id = add(service, prefixes);
      return {
        announced: new Promise((resolve) => {
          setTimeout(() => setImmediate(resolve), messaging.announcementDelayMs).unref();
        }),
        applied(position) {
          if (!own.has(id)) return;
          own.set(id, { service, prefixes, position });
          answerWaiters();
          announceSoon(id);
        },
        leave() {
          if (!own.delete(id)) return;
          messaging.announce(TOPIC, { kind: 'gone', member: id });
          answerWaiters();
        },
      };
    },

    applied(stream, position) {
      if (heardEverybody && behind(stream, position).length === 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const patience = setTimeout(() => {
          onLate?.(stream, [...new Set(behind(stream, position).map(({ service }) => service))]);
          waiter.settle(false);
        }, PATIENCE_MS).unref();
        const waiter: Waiter = {
          stream,
          position,
          settle(applied) {
            clearTimeout(patience);
            waiters.delete(waiter);
            resolve(applied);
          },
        };
        waiters.add(waiter);
      });
    },

    async replicas() {
      await everybodyHeard;
      const announced = [...others].map(
        ([id, { service, replica: named }]) => named ?? { service, name: id, release: null, format: null },
      );
      const all = replica === undefined ? announced : [replica, ...announced];
      return [...new Map(all.map((each) => [`${each.service}/${String(each.name)}`, each])).values()];
    },

    close() {
      stopListening();
      clearTimeout(heardAll);
      clearInterval(tick);
      clearInterval(announcing);
      for (const member of own.keys()) messaging.announce(TOPIC, { kind: 'gone', member });
      own.clear();
      others.clear();
      for (const { settle } of waiters) settle(false);
    },
  };
}
