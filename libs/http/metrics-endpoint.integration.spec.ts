import { setTimeout as delay } from 'node:timers/promises';
import { openMetricsListener, renderOnceASecond, type MetricsListener } from './metrics-endpoint';

describe('the listener of metrics', () => {
  let listener: MetricsListener;

  beforeAll(async () => {
    listener = await openMetricsListener({ host: '127.0.0.1', port: 0, metrics: () => Promise.resolve('up 1\n') });
  });

  afterAll(() => listener.close());

  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${listener.port}${path}`, init);

  it('answers /metrics in the text format of Prometheus, also through a proxy', async () => {
    const answer = await ask('/metrics', { headers: { 'X-Forwarded-For': '192.0.2.1' } });
    expect([answer.status, await answer.text()]).toEqual([200, 'up 1\n']);
    expect(answer.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await ask('/metrics?x', { method: 'HEAD' })).headers.get('Content-Length')).toBe('5');
  });

  it.each([
    ['GET', '/'],
    ['GET', '/health/live'],
    ['GET', '/api/v1/updates/check'],
    ['POST', '/metrics'],
  ])('finds nothing else: %s %s', async (method, path) => {
    expect((await ask(path, { method })).status).toBe(404);
  });

  it('does not start on a port that is taken', async () => {
    const again = openMetricsListener({ host: '127.0.0.1', port: listener.port, metrics: () => Promise.resolve('') });
    await expect(again).rejects.toThrow('EADDRINUSE');
  });
});

describe('metrics that are rendered once a second', () => {
  it('are rendered once for many that ask, and again a second later', async () => {
    jest.useFakeTimers();
    let renderings = 0;
    const render = renderOnceASecond(async () => {
      await delay(5_000);
      return String((renderings += 1));
    });
    const asked = Promise.all(Array.from({ length: 200 }, render));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(new Set(await asked)).toEqual(new Set(['1']));
    jest.advanceTimersByTime(999);
    expect(await render()).toBe('1');
    jest.advanceTimersByTime(1);
    const again = render();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await again).toBe('2');
    jest.useRealTimers();
  });

  it('are empty when rendering fails, and tried again', async () => {
    jest.useFakeTimers();
    const outcomes = [Promise.reject(new Error('broken')), Promise.resolve('up 1\n')];
    const render = renderOnceASecond(() => outcomes.shift()!);
    expect(await render()).toBe('');
    jest.advanceTimersByTime(1_000);
    expect(await render()).toBe('up 1\n');
    jest.useRealTimers();
  });
});
