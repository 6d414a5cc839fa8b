import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api } from './client';

/** What a hint of the server is about; queries are keyed `[topic, app id, …]`. */
interface Hint {
  readonly topic: string;
  readonly app: number | null;
}

/** Which queries show what a topic is about, beside those of its own name. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  apps: ['overview', 'history', 'owned-apps'],
  builds: ['overview', 'history', 'jobs', 'stats', 'adoption'],
  jobs: ['builds', 'overview'],
  keys: ['history', 'overview'],
  'signing-key': ['history'],
  keystore: ['history'],
  owner: ['session'],
};

export type LiveState = 'connecting' | 'live' | 'away';

let state: LiveState = 'connecting';
const watchers = new Set<() => void>();

function become(next: LiveState): void {
  state = next;
  for (const watcher of watchers) watcher();
}

/** Whether changes are shown as they happen. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}

/** A topic is asked for anew at most so often: a sync tells of ten changes a second. */
const PAUSE_MS = 1_000;

/** Asks anew for whatever the server says has changed, until the answered function is called. */
export function follow(client: QueryClient): () => void {
  const source = new EventSource(api.address('/events'));
  let wasAway = false;
  /** Of topics that were asked for just now: whether they have changed again. */
  const pausing = new Map<string, { changed: boolean; readonly timer: ReturnType<typeof setTimeout> }>();

  const askAnew = (name: string, app: number | null): void => {
    const key = `${name}/${app}`;
    const pause = pausing.get(key);
    if (pause !== undefined) {
      pause.changed = true;
      return;
    }
    void client.invalidateQueries({
      predicate: ({ queryKey: [first, second] }) =>
        first === name && (app === null || typeof second !== 'number' || second === app),
    });
    const timer = setTimeout(() => {
      const changed = pausing.get(key)?.changed === true;
      pausing.delete(key);
      if (changed) askAnew(name, app);
    }, PAUSE_MS);
    pausing.set(key, { changed: false, timer });
  };

  source.addEventListener('hello', () => {
    become('live');
    // What changed meanwhile was told to nobody.
    if (wasAway) void client.invalidateQueries();
    wasAway = false;
  });
  source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
    const { topic, app } = JSON.parse(data) as Hint;
    for (const name of [topic, ...(SHOWN_BY[topic] ?? [])]) askAnew(name, app);
  });
  source.addEventListener('error', () => {
    wasAway = true;
    become('away');
    // A refusal ends the stream for good: the session may be over, which the next question tells.
    if (source.readyState === EventSource.CLOSED) void client.invalidateQueries({ queryKey: ['session'] });
  });
  return () => {
    source.close();
    for (const { timer } of pausing.values()) clearTimeout(timer);
    become('connecting');
  };
}
