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

/** Asks anew for whatever the server says has changed, until the answered function is called. */
export function follow(client: QueryClient): () => void {
  const source = new EventSource(api.address('/events'));
  let wasAway = false;
  source.addEventListener('hello', () => {
    become('live');
    // What changed meanwhile was told to nobody.
    if (wasAway) void client.invalidateQueries();
    wasAway = false;
  });
  source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
    const { topic, app } = JSON.parse(data) as Hint;
    for (const name of [topic, ...(SHOWN_BY[topic] ?? [])]) {
      void client.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) =>
          first === name && (app === null || typeof second !== 'number' || second === app),
      });
    }
  });
  source.addEventListener('error', () => {
    wasAway = true;
    become('away');
    // A refusal ends the stream for good: the session may be over, which the next question tells.
    if (source.readyState === EventSource.CLOSED) void client.invalidateQueries({ queryKey: ['session'] });
  });
  return () => {
    source.close();
    become('connecting');
  };
}
