import { EventStoreUnavailableError } from './port';
import { recordingLogger } from '@sluice/testing';
import { RetryBackoff } from './retry-backoff';

const unavailable = (reason: 'no_connection' | 'no_leader') =>
  new EventStoreUnavailableError(`The reason is ${reason}.`, 'no', { reason, cause: new Error('14 UNAVAILABLE') });

it('reports an event store that can not be used once, without a stack, whatever the reason becomes', async () => {
  const logger = recordingLogger();
  const stopping = new AbortController();
  const backoff = new RetryBackoff('Projection "apps"', logger, stopping.signal);
  const meet = async (error: unknown) => backoff.failed(error);
  await meet(unavailable('no_connection'));
  await meet(unavailable('no_leader'));
  expect(backoff.fault).toBe('The reason is no_leader.');
  expect(logger.lines).toEqual([
    { level: 'warn', message: 'Projection "apps" stopped: The reason is no_connection.', fields: {} },
  ]);

  const poison = new Error('It waits before an event.');
  await meet(poison);
  backoff.succeeded();
  await meet(unavailable('no_leader'));
  stopping.abort();
  expect(logger.lines.slice(1)).toEqual([
    { level: 'error', message: 'Projection "apps" stopped: It waits before an event.', fields: { err: poison } },
    { level: 'warn', message: 'Projection "apps" continues.', fields: {} },
    { level: 'warn', message: 'Projection "apps" stopped: The reason is no_leader.', fields: {} },
  ]);
});
