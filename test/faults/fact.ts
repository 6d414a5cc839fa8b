import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './client';

export type Members = Readonly<Record<string, unknown>>;

/**
 * One resource and what may be seen of it: the state that was acknowledged last; after a call without
 * an answer, that one or the one that the call was to make. Never anything between.
 */
export class Fact<State extends object> {
  /** Undefined means absence. */
  private possible: readonly (State | undefined)[] = [undefined];

  constructor(private readonly name: string) {}

  /** The state, when it is certain that there is one and which. */
  get certain(): State | undefined {
    return this.possible.length === 1 ? this.possible[0] : undefined;
  }

  /** One call at a time. Answers its body when it was acknowledged. */
  async change<Body>(next: State, call: Promise<Outcome<Body>>): Promise<Body | undefined> {
    const before = this.possible;
    this.possible = [...before, next];
    const outcome = await call;
    if (outcome.kind === 'acknowledged') this.possible = [next];
    if (outcome.kind === 'refused') this.possible = before;
    return outcome.kind === 'acknowledged' ? outcome.body : undefined;
  }

  /**
   * Compares what is there with what may be, by the members of the state; it is certain from here on.
   * @throws Error when it is none of what may be
   */
  settle(actual: object | undefined): State | undefined {
    const state = this.possible.findLast((candidate) => fits(actual, candidate));
    if (state === undefined && !(actual === undefined && this.possible.includes(undefined))) {
      throw new Error(`${this.name} is ${JSON.stringify(actual)}; it may be ${JSON.stringify(this.possible)}.`);
    }
    this.possible = [state];
    return state;
  }
}

function fits(actual: object | undefined, state: object | undefined): boolean {
  if (actual === undefined || state === undefined) return false;
  return Object.entries(state).every(([member, value]) => isDeepStrictEqual((actual as Members)[member], value));
}
