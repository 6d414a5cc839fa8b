import fc from 'fast-check';
import { clientAddress } from './client-address';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as Parameters<ReturnType<typeof clientAddress>>[0];

describe('the client of a request', () => {
  it.each([
    ['the peer, when nobody is trusted', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['the peer, when it is no proxy', ['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['what the proxy says', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['the right-most that is no proxy', ['10.0.0.0/8'], '10.1.2.3', '1.1.1.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['the first proxy, when all are proxies', ['10.0.0.0/8'], '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['the proxy, without the header', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
    ['the proxy that tells no address', ['10.0.0.0/8'], '10.1.2.3', '1.1.1.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy, with an empty header', ['10.0.0.0/8'], '10.1.2.3', ' ', '10.1.2.3'],
    ['without a port', ['10.0.0.1'], '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['IPv6 with a port', ['::1'], '::1', '[2001:DB8:0::7]:4711', '2001:db8::7'],
    ['IPv4 that arrives as IPv6', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['IPv6 behind a network', ['fd00::/8'], 'fd12::1', '2001:db8::7, fd00::9', '2001:db8::7'],
    ['nobody, of a connection that is gone', ['10.0.0.0/8'], undefined, '198.51.100.7', 'unknown'],
  ])('is %s', (_name, trusted, peer, forwarded, client) => {
    expect(clientAddress(trusted)(request(peer, forwarded))).toBe(client);
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
