import type { QueryClient } from '@tanstack/react-query';
import { api } from './client';
import { shared } from './shared';

/** What a hint of the server is about; queries are keyed `[topic, app id, …]`. */
interface Hint {
  readonly topic: string;
  readonly app: number | null;
}

/** The queries that show a topic, in addition to those of its own name. */
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

const state = shared<LiveState>('connecting');

/** Whether changes are shown as they happen. */
export const useLiveState = (): LiveState => state.use();

/** How often a topic is requested again at most: a sync causes ten changes a second. */
const PAUSE_MS = 1_000;
/** A refused stream, unlike one that broke, is not opened again by the browser. */
const AGAIN_MS = 5_000;
/** A browser opens few connections to one server, so a hidden page closes its own. */
const HIDDEN_MS = 30_000;

/**
 * Requests again what the server says has changed, until the returned function is called. Every `hello`
 * requests everything again, because earlier changes were sent to no page.
 */
export function follow(client: QueryClient): () => void {
  const questions = questionsOf(client);
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
      for (const name of [topic, ...(SHOWN_BY[topic] ?? [])]) questions.askAnew(name, app);
    });
    source.addEventListener('error', () => {
      state.set('away');
      if (source?.readyState !== EventSource.CLOSED) return;
      // The session may be over: the next request shows that.
      void client.invalidateQueries({ queryKey: ['session'] });
      close();
      later = setTimeout(open, AGAIN_MS);
    });
  };
  const close = (): void => {
    source?.close();
    source = undefined;
  };
  const look = (): void => {
    clearTimeout(later);
    if (document.hidden) later = setTimeout(close, HIDDEN_MS);
    else if (source === undefined) open();
  };

  open();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(later);
    close();
    questions.stop();
    state.set('connecting');
  };
}

/** Requests what shows a topic of an app, immediately, then after each pause in which it has changed again. */
function questionsOf(client: QueryClient) {
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
  const stop = (): void => {
    for (const { timer } of pausing.values()) clearTimeout(timer);
    pausing.clear();
  };
  return { askAnew, stop };
}
