import type { ApplyFile } from './apply-file';
import { planOf } from './apply-plan';
import { UsageError } from './failure';
import type { ApiClient } from './http-client';

const build = (id: number, platform: string) => ({
  ...{ id, version: '1.0.0', status: 'active', platform, native_range: null, fingerprint: null },
});
const client = {
  call: () => Promise.resolve({}),
  list: () => Promise.resolve([build(1, 'ios'), build(2, 'android')]),
} as unknown as ApiClient;
const plan = (release: object) => {
  const wanted = { app: 'shop', channels: { production: { version: '1.0.0', ...release } } };
  const fault = (_path: readonly PropertyKey[], message: string) => new UsageError(message);
  return planOf({ wanted, fault } satisfies ApplyFile, client);
};

describe('a version that iOS and Android have different builds of', () => {
  it('is chosen by its platform, with the native rules that it is to have', async () => {
    const [step, ...more] = await plan({ platform: 'android', native_range: '>=2', fingerprint: 'f00d' });
    expect(more).toEqual([]);
    expect(step?.changes.map(({ member, before, after }) => [member, before, after])).toEqual([
      ['native_range', null, '>=2'],
      ['fingerprint', null, 'f00d'],
    ]);
  });

  it('is a mistake without one', async () => {
    await expect(plan({ native_range: '>=2' })).rejects.toThrow('Set platform to one of ios, android.');
  });
});
