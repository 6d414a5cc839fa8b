import type { Socket } from 'node:net';
import { TrafficCount } from './traffic';

function countAll(traffic: TrafficCount, requests: number, remoteAddress: string, forwarded = false): void {
  const headers = forwarded ? { 'x-forwarded-for': '203.0.113.9' } : {};
  for (let request = 0; request < requests; request += 1)
    traffic.count({ headers, socket: { remoteAddress } as Socket });
}

it('names the address that makes most of the traffic, and how much was forwarded', () => {
  const traffic = new TrafficCount();
  expect(traffic.facts()).toEqual({ requests: 0, busiestAddress: null, busiestShare: 0, forwardedShare: 0 });
  countAll(traffic, 25, '192.0.2.1');
  countAll(traffic, 75, '192.0.2.2', true);
  expect(traffic.facts()).toEqual({
    requests: 100,
    busiestAddress: '192.0.2.2',
    busiestShare: 0.75,
    forwardedShare: 0.75,
  });
});

it('forgets what was long ago, and knows a bounded number of addresses', () => {
  const traffic = new TrafficCount();
  countAll(traffic, 90_000, '192.0.2.1');
  countAll(traffic, 10_500, '192.0.2.2');
  expect(traffic.facts()).toMatchObject({ requests: 100_000, busiestAddress: '192.0.2.1' });
  countAll(traffic, 500, '192.0.2.2');
  expect(traffic.facts()).toMatchObject({ requests: 1_000, busiestAddress: '192.0.2.2', busiestShare: 1 });
  for (let host = 0; host < 3_000; host += 1) countAll(traffic, 1, `2001:db8::${host.toString(16)}`);
  countAll(traffic, 10, 'late.example');
  expect(traffic.facts()).toMatchObject({ requests: 4_010, busiestAddress: '192.0.2.2', busiestShare: 1_000 / 4_010 });
});
