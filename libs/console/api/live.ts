import type { QueryClient } from '@tanstack/react-query';
import { api } from './client';
import { shared } from './shared';

/** A hint of the server that something has changed. Queries have keys `[topic, app id, …]`. */
interface Hint {
  readonly topic: string;
  readonly app: number | null;
}

/** The queries that show a topic, in addition to those of its own name. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  apps: ['overview', 'history', 'owned-apps', 'groups', 'explain'],
  builds: ['overview', 'history', 'jobs', 'health', 'stats', 'adoption', 'explain'],
  jobs: ['builds', 'overview'],
  keys: ['history', 'overview'],
  'signing-key': ['history'],
  keystore: ['history'],
  owner: ['session'],
};

export type LiveState = 'connecting' | 'live' | 'reconnecting';

const state = shared<LiveState>('connecting');

/** Whether changes are shown immediately. */
export const useLiveState = (): LiveState => state.use();

/** An entry of these may be missing at the moment of its change, so they are loaded once more. */
const DELAYED: readonly string[] = ['history'];
const AGAIN_MS = 3_000;
/** The shortest time between two requests for a topic, because a sync causes ten changes per second. */
const PAUSE_MS = 1_000;
/** The browser reconnects a broken stream itself, but not a rejected one. */
const RECONNECT_MS = 5_000;
/** A browser opens six connections to one server over HTTP/1.1, so a hidden page closes its own, and opens none. */
const HIDDEN_MS = 5_000;

/**
 * Loads queries again when the server reports a change, until the returned function is called. Every `hello` loads all
 * of them again, because earlier changes were not received.
 */
export function follow(client: QueryClient): () => void {
  const refetcher = refetcherOf(client);
  let source: EventSource | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;

  const open = (): void => {
    clearTimeout(later);
    source = new EventSource(api.address('/events'));
    source.addEventListener('hello', () => {
      state.set('live');
      void client.invalidateQueries({}, { cancelRefetch: false });
    });
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
      const { topic, app } = JSON.parse(data) as Hint;
      for (const name of [topic, ...(SHOWN_BY[topic] ?? [])]) refetcher.refetch(name, app);
    });
    source.addEventListener('error', () => {
      state.set('reconnecting');
      if (source?.readyState !== EventSource.CLOSED) return;
      // If the session has ended, this request shows it.
      void client.invalidateQueries({ queryKey: ['session'] });
      close();
      later = setTimeout(openIfVisible, RECONNECT_MS);
    });
  };
  const close = (): void => {
    source?.close();
    source = undefined;
  };
  const openIfVisible = (): void => {
    clearTimeout(later);
    if (document.hidden) later = setTimeout(close, HIDDEN_MS);
    else if (source === undefined) open();
  };

  openIfVisible();
  document.addEventListener('visibilitychange', openIfVisible);
  // A page that the browser keeps for its Back button would keep its connection.
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', openIfVisible);
  return () => {
    document.removeEventListener('visibilitychange', openIfVisible);
    window.removeEventListener('pagehide', close);
    window.removeEventListener('pageshow', openIfVisible);
    clearTimeout(later);
    close();
    refetcher.stop();
    state.set('connecting');
  };
}

/** Loads the queries of a topic immediately, and again after each pause in which the topic has changed. */
function refetcherOf(client: QueryClient) {
  const pausing = new Map<string, { changed: boolean; readonly timer: ReturnType<typeof setTimeout> }>();
  const again = new Map<string, ReturnType<typeof setTimeout>>();

  const invalidate = (name: string, app: number | null): void =>
    void client.invalidateQueries({
      predicate: ({ queryKey: [first, second] }) =>
        first === name && (app === null || typeof second !== 'number' || second === app),
    });
  const refetch = (name: string, app: number | null): void => {
    const key = `${name}/${app}`;
    if (DELAYED.includes(name)) {
      clearTimeout(again.get(key));
      again.set(
        key,
        setTimeout(() => invalidate(name, app), AGAIN_MS),
      );
    }
    const pause = pausing.get(key);
    if (pause !== undefined) {
      pause.changed = true;
      return;
    }
    invalidate(name, app);
    const timer = setTimeout(() => {
      const changed = pausing.get(key)?.changed === true;
      pausing.delete(key);
      if (changed) refetch(name, app);
    }, PAUSE_MS);
    pausing.set(key, { changed: false, timer });
  };
  const stop = (): void => {
    for (const timer of [...again.values(), ...[...pausing.values()].map((pause) => pause.timer)]) clearTimeout(timer);
    pausing.clear();
    again.clear();
  };
  return { refetch, stop };
}
