import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Change } from '@sluice/contracts';

export interface EventStream {
  /** The next change that is announced. @throws Error when the stream ends before that */
  next(): Promise<Change>;
  /** Resolves once the server has ended it in order; rejects when it was cut off. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens the stream of changes and waits for its greeting. @throws Error with the answer when it is refused */
export async function openEvents(gateway: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
  // fetch does not tell an answer that was cut off from one that ended.
  const request = get(`${gateway}/api/dashboard/v1/events`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${await text(response)}`);
  const told: Change[] = [];
  let greeted = false;
  let over = false;
  let moved: () => void = () => undefined;

  const take = (block: string): void => {
    const [, event] = /^event: (.*)$/m.exec(block) ?? [];
    const [, data = ''] = /^data: (.*)$/m.exec(block) ?? [];
    if (event === 'hello') greeted = true;
    if (event === 'changed') told.push(JSON.parse(data) as Change);
  };
  let unread = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (unread + chunk).split('\n\n');
    unread = blocks.pop() ?? '';
    blocks.forEach(take);
    moved();
  });
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve, reject) => {
    response.once('close', () => {
      over = true;
      moved();
      if (response.complete) resolve();
      else reject(new Error('The stream of events was cut off.'));
    });
  });
  ended.catch(() => undefined);
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) {
      if (over) throw new Error('The stream of events has ended.');
      await new Promise<void>((resolve) => (moved = resolve));
    }
  };

  await until(() => greeted);
  return {
    async next() {
      await until(() => told.length > 0);
      return told.shift()!;
    },
    ended,
    close: () => request.destroy(),
  };
}
