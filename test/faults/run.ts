import { seededRandom, type Random } from './random';

/** How long and by which choices the fault tests run; the settings can repeat a run in kind. */
export interface FaultRun {
  /** Kills of all fault tests together; of those during recalls, and of those while plans advance, as many again; of those of previews, a quarter more. */
  readonly kills: number;
  readonly random: Random;
  /** How long an engine is cut off, in milliseconds: as asked for, else as given. */
  readonly cutMs: (otherwise: number) => number;
}

const DEFAULT_KILLS = 12;

/** Reads FAULT_KILLS, FAULT_SEED and FAULT_CUT_SECONDS, and says which seed this is. */
export function faultRun(name: string): FaultRun {
  const { FAULT_KILLS: kills = '', FAULT_SEED: seed = '', FAULT_CUT_SECONDS: cut = '' } = process.env;
  const cutMs = cut === '' ? undefined : 1_000 * wholeNumber('FAULT_CUT_SECONDS', cut);
  const chosen = seed === '' ? Math.floor(Math.random() * 2 ** 32) : wholeNumber('FAULT_SEED', seed);
  say(`${name}: FAULT_SEED=${chosen}`);
  return {
    kills: kills === '' ? DEFAULT_KILLS : wholeNumber('FAULT_KILLS', kills),
    random: seededRandom(chosen),
    cutMs: (otherwise) => cutMs ?? otherwise,
  };
}

/** Past Jest, which would put a stack under it. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function wholeNumber(setting: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${setting} must be a whole number, not "${text}".`);
  return Number(text);
}
