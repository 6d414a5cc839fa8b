import type { Clock } from '@sluice/kernel';
import type { Position } from '@sluice/event-store';
import type { Messaging } from './port';

/** A process that answers from memory (ARCHITECTURE, "Answers from memory"). */
export interface LiveMember {
  /** Told on every change and once a second to whoever waits. */
  applied(position: Position): void;
  /** Says goodbye, so that nobody waits for it any longer. */
  leave(): void;
}

export interface LiveMembers {
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
  close(): void;
}

export interface LiveMembersOptions {
  readonly messaging: Messaging;
  readonly clock: Clock;
}
