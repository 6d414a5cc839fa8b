import { systemClock, type JsonObject } from '@sluice/kernel';
import { openInProcessMessaging } from './in-process';
import { createReplicaPositions, type ReplicaPositions } from './replica-positions';
import type { Messaging } from './port';

/** What the promise came to, as far as time has gone. */
function watch<Value>(promise: Promise<Value>): { readonly value: Value | 'pending' } {
  const state: { value: Value | 'pending' } = { value: 'pending' };
  void promise.then((value) => (state.value = value));
  return state;
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('Live members', () => {
  let bus: Messaging;
  let created: ReplicaPositions[];

  /** A process of its own on the bus. */
  const startProcess = (options: Partial<Parameters<typeof createReplicaPositions>[0]> = {}) => {
    const members = createReplicaPositions({ messaging: bus, clock: systemClock, ...options });
    created.push(members);
    return members;
  };

  /** A process whose announcements stop reaching the others once it is cut off. */
  const startFragileProcess = () => {
    let cut = false;
    const announce: Messaging['announce'] = (topic, body) => {
      if (!cut) bus.announce(topic, body);
    };
    const members = startProcess({ messaging: { ...bus, announce } });
    return { members, cutOff: () => (cut = true) };
  };

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    bus = openInProcessMessaging();
    created = [];
  });

  afterEach(() => {
    for (const members of created) members.close();
    jest.useRealTimers();
  });

  it('do not wait where no process serves the stream', async () => {
    const registry = startProcess();
    startProcess().join('device-updates', ['channel-']);
    await pass(10);
    await expect(registry.applied('token-7', '0001')).resolves.toBe(true);
  });

  it('wait until every member that answers from the stream has applied the position', async () => {
    const registry = startProcess();
    const one = startProcess().join('gateway', ['app-', 'token-']);
    const two = startProcess().join('gateway', ['token-']);
    await pass(10);
    const applied = watch(registry.applied('token-7', '0005'));

    one.applied('0005');
    await pass(10);
    expect(applied.value).toBe('pending');
    two.applied('0004');
    await pass(10);
    expect(applied.value).toBe('pending');
    two.applied('0006');
    await pass(10);
    expect(applied.value).toBe(true);
  });

  it('wait for members of their own process as well', async () => {
    const standalone = startProcess();
    const gateway = standalone.join('gateway', ['token-']);
    await pass(10);
    const applied = watch(standalone.applied('token-7', '0005'));
    await pass(10);
    expect(applied.value).toBe('pending');
    gateway.applied('0005');
    await pass(0);
    expect(applied.value).toBe(true);
  });

  it('no longer wait for one that said goodbye', async () => {
    const registry = startProcess();
    const gateway = startProcess().join('gateway', ['token-']);
    await pass(10);
    const applied = watch(registry.applied('token-7', '0005'));
    await pass(10);
    gateway.leave();
    await pass(10);
    expect(applied.value).toBe(true);
  });

  it('no longer wait for one that was silent for three seconds', async () => {
    const registry = startProcess();
    const { members, cutOff } = startFragileProcess();
    members.join('gateway', ['token-']);
    await pass(10);
    cutOff();
    await pass(2_000);
    const applied = watch(registry.applied('token-7', '0005'));
    await pass(900);
    expect(applied.value).toBe('pending');
    await pass(600);
    expect(applied.value).toBe(true);
  });

  it('stop waiting after four seconds for one that lives and lags, and log it', async () => {
    const late: [string, readonly string[]][] = [];
    const registry = startProcess({ onLate: (stream, services) => late.push([stream, services]) });
    startProcess().join('gateway', ['token-']);
    await pass(60_000);
    const applied = watch(registry.applied('token-7', '0005'));
    await pass(3_900);
    expect(applied.value).toBe('pending');
    await pass(100);
    expect(applied.value).toBe(false);
    expect(late).toEqual([['token-7', ['gateway']]]);
  });

  it('name every replica once, those of former releases by the ids of their members', async () => {
    const replica = (service: string, name: string) => ({ service, name, release: '0.2.0', format: 1 });
    const registry = startProcess({ replica: replica('registry', 'a:1') });
    const gateways = startProcess({ replica: replica('gateway', 'a:2') });
    gateways.join('gateway', ['token-']);
    const heard: JsonObject[] = [];
    bus.listen('members', (body) => heard.push(body));
    const former = startProcess();
    former.join('device-updates', ['channel-']);
    await pass(10);
    const byService = async () =>
      (await registry.replicas()).sort((one, other) => one.service.localeCompare(other.service));
    const { member } = heard.find(({ service }) => service === 'device-updates')!;
    expect(await byService()).toEqual([
      { service: 'device-updates', name: member, release: null, format: null },
      replica('gateway', 'a:2'),
      replica('registry', 'a:1'),
    ]);
    former.close();
    gateways.close();
    await pass(10);
    expect(await byService()).toEqual([replica('registry', 'a:1')]);
  });

  it('name no replica that was silent for three seconds', async () => {
    const registry = startProcess();
    let cut = false;
    const announce: Messaging['announce'] = (topic, body) => {
      if (!cut) bus.announce(topic, body);
    };
    startProcess({
      messaging: { ...bus, announce },
      replica: { service: 'keys', name: 'a:1', release: '0.2.0', format: 1 },
    });
    await pass(5_000);
    cut = true;
    await pass(2_000);
    await expect(registry.replicas()).resolves.toHaveLength(1);
    await pass(2_000);
    await expect(registry.replicas()).resolves.toEqual([]);
  });

  it('wait for no replica that answers from no stream', async () => {
    const registry = startProcess();
    startProcess({ replica: { service: 'keys', name: 'a:1', release: '0.2.0', format: 1 } });
    await pass(10);
    await expect(registry.applied('token-7', '0005')).resolves.toBe(true);
  });

  it('find the members that joined before them immediately', async () => {
    startProcess().join('gateway', ['token-']);
    await pass(10);
    const applied = watch(startProcess().applied('token-7', '0005'));
    await pass(500);
    expect(applied.value).toBe('pending');
  });

  it('answer nothing before they must have heard everybody, nor announce a member as known', async () => {
    const slow = { ...bus, announcementDelayMs: 1_000 };
    const registry = startProcess({ messaging: slow });
    const applied = watch(registry.applied('token-7', '0005'));
    const announced = watch(startProcess({ messaging: slow }).join('device-updates', ['channel-']).announced);
    await pass(999);
    expect([applied.value, announced.value]).toEqual(['pending', 'pending']);
    await pass(10);
    expect([applied.value, announced.value]).toEqual([true, undefined]);
  });

  it('announce many changes of one turn as one', async () => {
    const heard: JsonObject[] = [];
    bus.listen('members', (body) => heard.push(body));
    const gateway = startProcess().join('gateway', ['token-']);
    await pass(10);
    heard.length = 0;
    for (const position of ['0001', '0002', '0003']) gateway.applied(position);
    await pass(10);
    expect(heard).toEqual([expect.objectContaining({ kind: 'here', service: 'gateway', position: '0003' })]);
    await pass(1_000);
    expect(heard).toHaveLength(2);
  });

  it('take a pause of their own process for no silence of the others', async () => {
    let pausedMs = 0;
    const clock = { now: () => new Date(), monotonic: () => performance.now() + pausedMs };
    const registry = startProcess({ clock });
    startProcess().join('gateway', ['token-']);
    await pass(1_100);
    pausedMs = 60_000;
    await pass(300);
    const applied = watch(registry.applied('token-7', '0005'));
    await pass(300);
    expect(applied.value).toBe('pending');
  });

  it('compare positions as text', async () => {
    const registry = startProcess();
    const gateway = startProcess().join('gateway', ['']);
    gateway.applied('9');
    await pass(10);
    await expect(registry.applied('token-7', '10')).resolves.toBe(true);
  });

  it('pay no attention to messages that they do not understand', async () => {
    const registry = startProcess();
    bus.announce('members', { kind: 'here', member: 7 });
    bus.announce('members', { kind: 'fromTheFuture' });
    await pass(10);
    await expect(registry.applied('token-7', '0005')).resolves.toBe(true);
  });

  it('leave and release every waiter once they are closed', async () => {
    const registry = startProcess();
    const gateways = startProcess();
    gateways.join('gateway', ['token-']);
    await pass(10);
    const here = watch(registry.applied('token-7', '0005'));
    const there = watch(gateways.applied('token-7', '0005'));
    await pass(10);
    gateways.close();
    await pass(10);
    expect([here.value, there.value]).toEqual([true, false]);
  });
});
