import { isNewer } from './verifier.js';

/** A bundle whose bytes are stored and were verified. */
export interface StoredBundle {
  readonly id: string;
  readonly version: string;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** A report that the server has not acknowledged yet. */
export type Report =
  | { readonly kind: 'mau'; readonly version: string }
  | {
      readonly kind: 'download' | 'install';
      readonly bundleId: string;
      readonly status: 'complete' | 'failed' | 'rollback';
      readonly error?: string;
      readonly previousVersion?: string;
    };

export interface ChosenChannel {
  readonly channel: string;
  readonly expiresAt: number;
}

/** Everything that survives the end of the app, in one record. */
export interface State {
  readonly format: typeof FORMAT;
  /** Of this installation, unless the app has an id of its own. */
  readonly deviceId: string;
  /** The last bundle that the app confirmed; the embedded one, if it is absent. */
  readonly confirmed?: StoredBundle | undefined;
  /** The bundle to start next, or that was started and is not confirmed. */
  readonly candidate?: (StoredBundle & { readonly started: boolean }) | undefined;
  /** Ids of bundles that were started and not confirmed: one for each release that failed on this device. */
  readonly failed: readonly string[];
  /** The highest accepted sequence of each channel. */
  readonly sequences: Readonly<Record<string, number>>;
  /** The channel that the user chose, and until when the server keeps that, in milliseconds since 1970. */
  readonly chosen?: ChosenChannel | undefined;
  /** Oldest first. */
  readonly reports: readonly Report[];
  /** The last UTC day and version that were reported as active. */
  readonly active?: string | undefined;
}

/** Of the record. */
const FORMAT = 1;
/** More than an app that works makes between two connections; older ones are dropped. */
const MAX_REPORTS = 50;
/** What the device API accepts of an error and of a version. */
const MAX_ERROR = 500;
const MAX_VERSION = 50;

/** The state in a record. A record that can't be read counts as none: the app then runs its embedded bundle. */
export function stateOf(record: string | undefined): State {
  try {
    const state = JSON.parse(record ?? '') as Partial<State> | null;
    if (state?.format === FORMAT) return state as State;
  } catch {
    // None yet, or not a record of this package.
  }
  return { format: FORMAT, deviceId: crypto.randomUUID(), failed: [], sequences: {}, reports: [] };
}

/** What starts now, and the state before it starts. */
export interface Choice {
  readonly state: State;
  /** Undefined: the embedded bundle. */
  readonly bundle: StoredBundle | undefined;
  /** Whether `bundle` has yet to be confirmed. */
  readonly onTrial: boolean;
  /** The bundle that was started before and not confirmed. */
  readonly rolledBack: StoredBundle | undefined;
}

/**
 * Chooses the bundle to start: the candidate on trial, else the confirmed one, else the embedded one. Bundles that are not
 * newer than the embedded one are dropped, because an update of the app itself replaced them. A candidate that was started
 * before is rolled back. While another page tries the candidate, `mayTry` is false and the candidate is left alone.
 */
export function chooseBundle(stored: State, embeddedVersion: string, mayTry: boolean): Choice {
  const kept = (bundle: StoredBundle | undefined) =>
    bundle !== undefined && isNewer(bundle.version, embeddedVersion) ? bundle : undefined;
  let state: State = { ...stored, confirmed: kept(stored.confirmed) };
  const { candidate, confirmed } = state;
  const running = confirmed?.version ?? embeddedVersion;
  const choice = { bundle: confirmed, onTrial: false, rolledBack: undefined };
  if (!mayTry || candidate === undefined) return { ...choice, state };
  if (candidate.started) {
    state = { ...state, candidate: undefined, failed: [...new Set([...state.failed, candidate.id])] };
    const error = 'The bundle was started and not confirmed.';
    return {
      ...choice,
      state: withInstallReport(state, candidate.id, 'rollback', running, error),
      rolledBack: candidate,
    };
  }
  if (kept(candidate) === undefined) return { ...choice, state: { ...state, candidate: undefined } };
  return { ...choice, state, bundle: candidate, onTrial: true };
}

/** The candidate is about to run. */
export function markStarted(state: State): State {
  return { ...state, candidate: state.candidate && { ...state.candidate, started: true } };
}

/** The candidate works: it replaces the confirmed bundle. Unchanged, if the bundle is not a started candidate. */
export function confirmBundle(state: State, id: string, embeddedVersion: string): State {
  const { candidate, confirmed } = state;
  if (candidate?.id !== id || !candidate.started) return state;
  const { version, sha256, size } = candidate;
  const next = { ...state, candidate: undefined, confirmed: { id, version, sha256, size } };
  return withInstallReport(next, id, 'complete', confirmed?.version ?? embeddedVersion);
}

/** A stored bundle turned out to be damaged: it can be downloaded again. */
export function dropDamaged(state: State, id: string, error: string): State {
  const without = <B extends StoredBundle>(bundle: B | undefined) => (bundle?.id === id ? undefined : bundle);
  const next = { ...state, candidate: without(state.candidate), confirmed: without(state.confirmed) };
  return withReport(next, { kind: 'install', bundleId: id, status: 'failed', error });
}

/** Adds the report that the version runs, once for each UTC day. */
export function withActivity(state: State, version: string, now: Date): State {
  const active = `${now.toISOString().slice(0, 10)} ${version}`;
  return state.active === active ? state : withReport({ ...state, active }, { kind: 'mau', version });
}

function withInstallReport(
  state: State,
  bundleId: string,
  status: 'complete' | 'rollback',
  previousVersion: string,
  error?: string,
): State {
  return withReport(state, {
    ...{ kind: 'install', bundleId, status },
    ...(error !== undefined && { error }),
    ...(previousVersion.length <= MAX_VERSION && { previousVersion }),
  });
}

/** Adds a report to the queue, unless it waits there already. */
export function withReport(state: State, report: Report): State {
  const cut = 'error' in report ? { ...report, error: Array.from(report.error).slice(0, MAX_ERROR).join('') } : report;
  const others = withoutReport(state, cut).reports;
  return { ...state, reports: [...others, cut].slice(-MAX_REPORTS) };
}

export function withoutReport(state: State, report: Report): State {
  const sent = JSON.stringify(report);
  return { ...state, reports: state.reports.filter((each) => JSON.stringify(each) !== sent) };
}
