import { setMaxListeners } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS } from './attacks';
import { answerParent } from './child';
import { Target, type Scene, type Tally } from './target';

export type AttackerRequest =
  | { readonly begin: string; readonly scene: Scene; readonly round: number; readonly seed: number }
  | { readonly end: true }
  | { readonly check: string; readonly scene: Scene };

/** The longest duration of an attack, whatever its runner does. */
const LONGEST_MS = 120_000;
/** How long it takes to end. */
const END_MS = 30_000;
/** So that its first requests are there before anything is measured. */
const LEAD_MS = 200;

// Lowers its own priority if it can't raise that of the prober, which shares its core.
if (getPriority() >= 0) setPriority(5);

let current: { readonly target: Target; readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

async function begin(name: string, target: Target): Promise<void> {
  const attack = attackOf(name);
  await attack.prepare?.(target);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const limit = setTimeout(() => stop.abort(), LONGEST_MS);
  const ended = attack.run(target, stop.signal).finally(() => clearTimeout(limit));
  ended.catch(() => undefined);
  current = { target, stop, ended };
  await delay(LEAD_MS);
}

/** Cuts what is still open, as an attacker would who has lost interest. */
async function end(): Promise<Tally> {
  if (current === undefined) throw new Error('No attack is running.');
  const { target, stop, ended } = current;
  current = undefined;
  stop.abort();
  await target.close();
  await Promise.race([ended, tooLong()]);
  return target.tally();
}

async function tooLong(): Promise<never> {
  await delay(END_MS, undefined, { ref: false });
  throw new Error('The attack does not end.');
}

const attackOf = (name: string) => {
  const attack = ATTACKS.find((each) => each.name === name);
  if (attack === undefined) throw new Error(`There is no attack ${name}.`);
  return attack;
};

answerParent(async (request: AttackerRequest) => {
  if ('begin' in request) return begin(request.begin, new Target(request.scene, request.round, request.seed));
  if ('end' in request) return end();
  const target = new Target(request.scene, 0, 0);
  await attackOf(request.check).check?.(target);
  return target.close();
});
