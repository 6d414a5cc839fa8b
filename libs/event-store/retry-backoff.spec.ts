import { EventStoreUnavailableError } from './port';
import { RetryBackoff } from './retry-backoff';

const unavailable = (reason: 'no_connection' | 'no_leader') =>
  new EventStoreUnavailableError(`The reason is ${reason}.`, 'no', { reason, cause: new Error('14 UNAVAILABLE') });

it('reports an event store that can not be used once, without a stack, whatever the reason becomes', async () => {
  const reports: unknown[][] = [];
  const stopping = new AbortController();
  const backoff = new RetryBackoff('Projection "apps"', (...told) => reports.push(told), stopping.signal);
  const meet = async (error: unknown) => backoff.failed(error);
  await meet(unavailable('no_connection'));
  await meet(unavailable('no_leader'));
  expect(backoff.fault).toBe('The reason is no_leader.');
  expect(reports).toEqual([['Projection "apps" stopped: The reason is no_connection.', undefined]]);

  const poison = new Error('It stands before an event.');
  await meet(poison);
  backoff.succeeded();
  await meet(unavailable('no_leader'));
  stopping.abort();
  expect(reports.slice(1)).toEqual([
    ['Projection "apps" stopped: It stands before an event.', poison],
    ['Projection "apps" goes on.'],
    ['Projection "apps" stopped: The reason is no_leader.', undefined],
  ]);
});
