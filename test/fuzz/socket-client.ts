import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Case } from './cases';
import { readAnswers, type Answer } from './responses';

export interface Outcome {
  readonly answers: readonly Answer[];
  /** From the last byte sent to the last answer. */
  readonly ms: number;
  /** What is wrong with the answers as bytes, or with their number. */
  readonly fault?: string;
}

/** No answer within this is a hang. */
export const HANG_MS = 5_000;
/** So long the client waits for answers that need not come. */
const LINGER_MS = 20;

/** Plays a case on a connection of its own. */
export async function play(port: number, given: Case): Promise<Outcome> {
  const { expects, leaves, requests } = given;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const chunks: Buffer[] = [];
  const connection = { ended: false };
  let changed: () => void = () => undefined;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    changed();
  });
  const end = (): void => {
    connection.ended = true;
    changed();
  };
  // A reset is one of the ways in which a server may end a connection.
  socket.on('end', end).on('error', end).on('close', end);
  const methods = requests.map(({ method }) => method);
  const heard = () => readAnswers(Buffer.concat(chunks), methods, connection.ended);
  const outcome = (since: number, fault?: string): Outcome => {
    const { answers } = heard();
    return { answers, ms: performance.now() - since, ...(fault !== undefined && { fault }) };
  };

  try {
    for (const piece of given.pieces) {
      if (connection.ended) break;
      socket.write(piece);
      if (given.pauseMs !== undefined) await pause(given.pauseMs);
    }
    if (leaves === 'half') socket.end();
    const sentAt = performance.now();
    if (typeof leaves === 'object') {
      await pause(leaves.resetAfterMs);
      socket.resetAndDestroy();
      return outcome(sentAt);
    }
    const patience = expects === 'nothing' ? LINGER_MS : HANG_MS;
    const wanted = expects === 'answers' ? requests.length : Math.max(1, requests.length);
    for (;;) {
      const { ended } = connection;
      const { answers, rest, endless } = heard();
      if (ended || endless || answers.length >= wanted) {
        const missing = expects === 'answers' && answers.length < wanted && !endless;
        if (missing) return outcome(sentAt, `the connection ended behind ${answers.length} of ${wanted} answers`);
        return outcome(sentAt, ended && rest > 0 && !endless ? 'an answer is cut off' : undefined);
      }
      const left = patience - (performance.now() - sentAt);
      if (left <= 0) return outcome(sentAt, expects === 'nothing' ? undefined : `no answer within ${HANG_MS} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } catch (error) {
    return { answers: [], ms: 0, fault: error instanceof Error ? error.message : String(error) };
  } finally {
    socket.destroy();
  }
}
