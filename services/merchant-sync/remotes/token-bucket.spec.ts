import { TokenBucket } from './token-bucket';

describe('the token bucket', () => {
  let now: number;
  let bucket: TokenBucket;
  const { signal } = new AbortController();

  beforeEach(() => {
    now = 0;
    bucket = new TokenBucket(
      () => now,
      (ms) => Promise.resolve((now += ms)),
    );
  });

  /** Milliseconds until a call of so many parts may leave. */
  async function waited(count = 1): Promise<number> {
    const began = now;
    await bucket.take(count, signal);
    return now - began;
  }

  it('lets calls through until it is empty, then as fast as it fills', async () => {
    expect([await waited(600), await waited(400), await waited()]).toEqual([0, 0, 1]);
  });

  it('lets a call through that is larger than it, and the next one that much later', async () => {
    expect([await waited(3_000), await waited()]).toEqual([0, 2_001]);
  });

  it('closes for everybody as long as the remote said', async () => {
    bucket.slowDown(5_000);
    expect([await waited(), await waited()]).toEqual([5_000, 0]);
  });

  it('is slower after each refusal, and faster after each success', async () => {
    bucket.slowDown(0);
    expect([await waited(500), await waited()]).toEqual([0, 2]);
    bucket.slowDown(0);
    expect([await waited(250), await waited()]).toEqual([4, 1_000]);
    for (let successes = 0; successes < 50; successes += 1) bucket.speedUp();
    expect([await waited(1_000), await waited()]).toEqual([1, 1_000]);
  });

  it('ends a wait when it is aborted', async () => {
    const stopping = new AbortController();
    const real = new TokenBucket();
    real.slowDown(60_000);
    const waiting = expect(real.take(1, stopping.signal)).rejects.toThrow('stop');
    stopping.abort(new Error('stop'));
    await waiting;
  });
});
