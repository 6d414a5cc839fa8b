import { deferred } from './deferred';

it('settles its promise once, as it is first told', async () => {
  const done = deferred();
  done.resolve();
  done.reject(new Error('too late'));
  await expect(done.promise).resolves.toBeUndefined();
});

it('rejects without an unhandled rejection, also when its promise is awaited later', async () => {
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  const failed = deferred();
  failed.reject(new Error('disk full'));
  await new Promise(setImmediate);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  await expect(failed.promise).rejects.toThrow('disk full');
});
