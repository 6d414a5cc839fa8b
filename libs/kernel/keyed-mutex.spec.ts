import { KeyedMutex } from './keyed-mutex';

/** A task that notes its start, and ends on request. */
function taskNoting(starts: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return {
    end,
    task: async () => {
      starts.push(name);
      await ended;
      return name;
    },
  };
}

const turn = () => new Promise(setImmediate);

it('runs tasks of one key in the order of the calls, and those of another meanwhile', async () => {
  const mutex = new KeyedMutex();
  const starts: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => taskNoting(starts, name));
  const results = [mutex.run('a', first!.task), mutex.run('a', second!.task), mutex.run('b', other!.task)];
  await turn();
  expect(starts).toEqual(['first', 'other']);
  first!.end();
  await turn();
  expect(starts).toEqual(['first', 'other', 'second']);
  second!.end();
  other!.end();
  expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
});

it('continues after a task that fails', async () => {
  const mutex = new KeyedMutex();
  const failed = mutex.run('a', () => Promise.reject(new RangeError('no')));
  const next = mutex.run('a', () => Promise.resolve('done'));
  await expect(failed).rejects.toThrow(RangeError);
  expect(await next).toBe('done');
});
