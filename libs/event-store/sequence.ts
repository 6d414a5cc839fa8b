import {
  type Clock,
  type Decider,
  newCommandId,
  systemClock,
  UnavailableError,
  UnknownEventError,
} from '@sluice/kernel';
import type { CommandContext, CommandHandling } from './command-handling';

/** Whole numbers from 1, each given once, over all processes and restarts. */
export interface Sequence {
  /**
   * The next number. Ascending within a process, not across processes; the rest of a block is lost
   * when the process ends.
   * @param context of the command that needs the number, for the events' metadata
   * @throws UnavailableError when no block can be reserved; the caller has changed nothing yet
   */
  next(context?: CommandContext): Promise<number>;
  /**
   * A fresh number for this very command: a repeat of the command gets the same one.
   * @throws DomainError IDEMPOTENCY_KEY_REUSED for a repeat with another body; UnavailableError
   */
  of(context: CommandContext): Promise<number>;
  /** What `of` answered to this very command before; undefined when it did not. @throws as `of` does */
  given(context: CommandContext): Promise<number | undefined>;
}

export interface SequenceOptions {
  readonly commands: CommandHandling;
  /** Names the stream `sequence-{name}`. */
  readonly name: string;
  /** The largest block. Default 64. Blocks begin at one number and grow only under load, so quiet installations have dense numbers. */
  readonly blockSize?: number;
  readonly clock?: Clock;
}

export interface ReserveBlock {
  readonly size: number;
}

export interface BlockReserved {
  readonly type: 'BlockReserved';
  readonly data: { readonly first: number; readonly size: number };
}

export interface SequenceState {
  readonly next: number;
}

/** Of the sequence of this name. */
export const sequenceStream = (name: string): string => `sequence-${name}`;

/** The stream `sequence-{name}`: blocks that follow each other without a gap. */
export const sequence: Decider<SequenceState, ReserveBlock, BlockReserved> = {
  initialState: () => ({ next: 1 }),
  decide: ({ size }, { next }) => [{ type: 'BlockReserved', data: { first: next, size } }],
  evolve: (_state, { type, data }) => {
    if ((type as string) !== 'BlockReserved') throw new UnknownEventError(type);
    return { next: data.first + data.size };
  },
};

/** A block that was used up within this time asks for a larger one. */
const QUICK_MS = 1_000;

/** Numbers from blocks that this process reserves on the stream `sequence-{name}`. */
export function createSequence({ commands, name, blockSize = 64, clock = systemClock }: SequenceOptions): Sequence {
  let next = 1;
  let end = 1;
  let size = 1;
  let reservedAt = -Infinity;
  let waiting = 0;
  let reservation: Promise<void> | undefined;

  const reserve = async (context: CommandContext | undefined): Promise<void> => {
    // Those who asked in the same turn of the event loop are counted before the block is sized.
    await Promise.resolve();
    const quick = clock.monotonic() - reservedAt < QUICK_MS;
    size = Math.min(Math.max(quick ? 2 * size : 1, waiting), blockSize);
    // An id of its own: the same command may need several numbers, and never one twice.
    const commandId = newCommandId();
    const { events } = await commands.handle(
      sequence,
      sequenceStream(name),
      { size },
      {
        commandId,
        actor: context?.actor ?? 'system:sequence',
        correlationId: context?.correlationId ?? context?.commandId ?? commandId,
        causationId: context?.commandId ?? commandId,
        ...(context?.traceparent === undefined ? {} : { traceparent: context.traceparent }),
      },
      { waitForReaders: false },
    );
    const [reserved] = events;
    if (reserved === undefined) throw new Error(`No block of the sequence ${name} was reserved.`);
    next = reserved.data.first;
    end = next + reserved.data.size;
    reservedAt = clock.monotonic();
  };

  return {
    async next(context) {
      waiting += 1;
      try {
        while (next === end) {
          reservation ??= reserve(context)
            .catch(nothingDone)
            .finally(() => (reservation = undefined));
          await reservation;
        }
        return next++;
      } finally {
        waiting -= 1;
      }
    },

    async of(context) {
      const { events } = await commands.handle(sequence, sequenceStream(name), { size: 1 }, context, {
        waitForReaders: false,
      });
      const [reserved] = events;
      if (reserved === undefined) throw new Error(`No number of the sequence ${name} was reserved.`);
      return reserved.data.first;
    },

    async given(context) {
      const before = await commands.repeat(sequence, sequenceStream(name), context);
      return before?.events[0]?.data.first;
    },
  };
}

/** Whatever became of the block: a lost one is no loss. */
function nothingDone(cause: unknown): never {
  if (!(cause instanceof UnavailableError)) throw cause;
  const refusal = new UnavailableError(cause.message, cause.retryAfterSeconds, 'no');
  refusal.cause = cause;
  throw refusal;
}
