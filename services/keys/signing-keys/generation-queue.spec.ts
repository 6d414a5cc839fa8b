import { GenerationQueue } from './generation-queue';

/** A task that ends when the test ends it. */
function task() {
  let end: (fault?: Error) => void = () => undefined;
  let hasBegun = false;
  const ended = new Promise<void>((resolve, reject) => {
    end = (fault) => (fault === undefined ? resolve() : reject(fault));
  });
  return {
    end: (fault?: Error) => end(fault),
    hasBegun: () => hasBegun,
    run: () => {
      hasBegun = true;
      return ended;
    },
  };
}
const turns = () => new Promise((resolve) => setImmediate(resolve));

it('runs one task at a time, in the order of the calls, also behind one that fails', async () => {
  const queue = new GenerationQueue(3);
  const [first, second, third] = [task(), task(), task()];
  const results = Promise.allSettled([first, second, third].map(({ run }) => queue.run(run)));
  await turns();
  expect([first, second, third].map(({ hasBegun }) => hasBegun())).toEqual([true, false, false]);
  first.end(new Error('No prime was found.'));
  await turns();
  expect([second, third].map(({ hasBegun }) => hasBegun())).toEqual([true, false]);
  second.end();
  third.end();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

it('rejects a task beyond its capacity without beginning it, and takes one again once there is room', async () => {
  const queue = new GenerationQueue(2);
  const [first, second, third] = [task(), task(), task()];
  const running = [queue.run(first.run), queue.run(second.run)];
  await expect(queue.run(third.run)).rejects.toMatchObject({
    ...{ code: 'SERVICE_UNAVAILABLE', done: 'no', retryAfterSeconds: expect.any(Number) as number },
  });
  expect(third.hasBegun()).toBe(false);
  first.end();
  await running[0];
  const later = queue.run(third.run);
  second.end();
  third.end();
  await Promise.all([...running, later]);
});
