import { SocketAddress } from 'node:net';
import fc from 'fast-check';
import { clientAddress } from './client-address';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as Parameters<ReturnType<typeof clientAddress>>[0];

describe('the client of a request', () => {
  it.each([
    ['the peer, when no proxy is trusted', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['the peer, when it is no proxy', ['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['what the proxy says', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['the right-most that is no proxy', ['10.0.0.0/8'], '10.1.2.3', '1.1.1.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['the first proxy, when all are proxies', ['10.0.0.0/8'], '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['the proxy, without the header', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
    ['the proxy that sends no address', ['10.0.0.0/8'], '10.1.2.3', '1.1.1.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy, with an empty header', ['10.0.0.0/8'], '10.1.2.3', ' ', '10.1.2.3'],
    ['without a port', ['10.0.0.1'], '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['IPv6 with a port', ['::1'], '::1', '[2001:DB8:0::7]:4711', '2001:db8:0:0::/64'],
    ['IPv4 that arrives as IPv6', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['IPv6 behind a network', ['fd00::/8'], 'fd12::1', '2001:db8::7, fd00::9', '2001:db8:0:0::/64'],
    ['unknown, of a connection that has ended', ['10.0.0.0/8'], undefined, '198.51.100.7', 'unknown'],
  ])('is %s', (_name, trusted, peer, forwarded, client) => {
    expect(clientAddress(trusted)(request(peer, forwarded))).toBe(client);
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1::2:0:0:1', '2001:db8:1:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001::', '2001:0:0:0::/64'],
  ])('is the /64 of an IPv6 address: %s is counted by %s', (address, network) => {
    expect(clientAddress([])(request(address))).toBe(network);
    expect(clientAddress(['10.0.0.1'])(request('10.0.0.1', address))).toBe(network);
  });

  it('is one for all addresses of a /64, and another outside it', () => {
    const addressOf = clientAddress([]);
    const group = fc.nat(0xffff);
    const half = fc.array(group, { minLength: 4, maxLength: 4 });
    const spelled = (groups: readonly number[]) =>
      new SocketAddress({ address: groups.map((each) => each.toString(16)).join(':'), family: 'ipv6' }).address;
    fc.assert(
      fc.property(half, half, half, (network, one, other) => {
        // Those are IPv4 addresses.
        fc.pre(network.some((each) => each !== 0));
        const counted = addressOf(request(spelled([...network, ...one])));
        expect(addressOf(request(spelled([...network, ...other])))).toBe(counted);
        const next = [...network.slice(0, 3), network[3]! ^ 1];
        expect(addressOf(request(spelled([...next, ...one])))).not.toBe(counted);
      }),
    );
  });

  it('is looked for in the last 32 entries that proxies wrote, and no further', () => {
    const addressOf = clientAddress(['10.0.0.0/8']);
    const through = (proxies: number) => ['198.51.100.7', ...Array<string>(proxies).fill('10.0.0.2')].join(', ');
    expect(addressOf(request('10.0.0.1', through(31)))).toBe('198.51.100.7');
    expect(addressOf(request('10.0.0.1', through(32)))).toBe('10.0.0.2');
  });

  it('is never what the client itself wrote in front of what the proxies add', () => {
    const addressOf = clientAddress(['10.0.0.0/8']);
    const proxy = fc.nat(255).map((last) => `10.0.0.${last}`);
    fc.assert(
      fc.property(fc.string(), fc.array(proxy, { maxLength: 3 }), proxy, (written, between, peer) => {
        const forwarded = [written, '198.51.100.7', ...between].join(', ');
        expect(addressOf(request(peer, forwarded))).toBe('198.51.100.7');
      }),
    );
  });
});
