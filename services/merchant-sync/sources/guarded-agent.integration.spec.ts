import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import dns from 'node:dns';
import {
  AddressRefusedError,
  assertAllowedUrl,
  guardedAgent,
  isAllowedAddress,
  isLoopbackHost,
  type AddressRules,
} from './guarded-agent';
import { openShopClient } from './shop-client';
import fc from 'fast-check';
import { fetch } from 'undici';

const STRICT: AddressRules = { allowPrivateAddresses: false, allowLoopback: false, setting: 'ALLOWED' };
const LOOPBACK: AddressRules = { ...STRICT, allowLoopback: true };
const PRIVATE: AddressRules = { ...STRICT, allowPrivateAddresses: true };

describe('which addresses are asked', () => {
  it.each([
    ['8.8.8.8', true, true],
    ['2606:4700::1111', true, true],
    ['10.1.2.3', false, true],
    ['172.16.0.1', false, true],
    ['192.168.1.1', false, true],
    ['100.64.0.1', false, true],
    ['fd12::1', false, true],
    ['::ffff:10.0.0.1', false, true],
    ['64:ff9b::a00:1', false, true],
    ['64:ff9b::808:808', true, true],
    ['169.254.169.254', false, false],
    ['fe80::1', false, false],
    ['64:ff9b::a9fe:a9fe', false, false],
    ['0.0.0.0', false, false],
    ['::', false, false],
    ['224.0.0.1', false, false],
    ['255.255.255.255', false, false],
    ['192.0.2.1', false, false],
    ['2002:a00:1::', false, false],
    ['not an address', false, false],
    ['::7f00:1', false, false],
    ['::808:808', false, false],
    ['168.63.129.16', false, false],
    ['100.100.100.200', false, false],
    ['100.100.100.201', false, true],
    ['192.0.0.192', false, false],
    ['fd00:ec2::254', false, false],
    ['fd00:ec2::23', false, false],
    ['fd20:ce::254', false, false],
    ['fd00:c1::a9fe:a9fe', false, false],
    ['fd00:42::42', false, false],
    ['fd00:a9fe:a9fe::1', false, false],
    ['64:ff9b:1::7f00:1', false, true],
    ['64:ff9b:1::a9fe:a9fe', false, false],
    ['64:ff9b:1:a9fe:a9:fe00::', false, false],
    ['64:ff9b:1::808:808', true, true],
    ['64:ff9b:1:808:8:800::', true, true],
    ['64:ff9b:1::', false, false],
    ['2606:4700::5efe:a9fe:a9fe', false, false],
    ['2606:4700::5efe:808:808', true, true],
  ])('%s: %s, and where private ones are allowed: %s', (address, strictly, widely) => {
    expect([isAllowedAddress(address, STRICT), isAllowedAddress(address, PRIVATE)]).toEqual([strictly, widely]);
  });

  const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
  /** Each way in which an IPv6 address contains an IPv4 one. */
  const EMBEDDINGS: Readonly<Record<string, (octets: readonly number[]) => string>> = {
    mapped: ([a = 0, b = 0, c = 0, d = 0]) => `::ffff:${hex(a, b)}:${hex(c, d)}`,
    'mapped, dotted': (octets) => `::ffff:${octets.join('.')}`,
    compatible: ([a = 0, b = 0, c = 0, d = 0]) => `::${hex(a, b)}:${hex(c, d)}`,
    translated: ([a = 0, b = 0, c = 0, d = 0]) => `::ffff:0:${hex(a, b)}:${hex(c, d)}`,
    NAT64: ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b::${hex(a, b)}:${hex(c, d)}`,
    'local NAT64 of 48 bits': ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}:0:0`,
    'local NAT64 of 56 bits': ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1:${hex(7, a)}:${hex(0, b)}:${hex(c, d)}:0:0`,
    'local NAT64 of 64 bits': ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1:7:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`,
    'local NAT64 of 96 bits': ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1:7:8:9:${hex(a, b)}:${hex(c, d)}`,
    '6to4': ([a = 0, b = 0, c = 0, d = 0]) => `2002:${hex(a, b)}:${hex(c, d)}::1`,
    Teredo: ([a = 0, b = 0, c = 0, d = 0]) =>
      `2001:0:808:808:8000:63bf:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`,
    ISATAP: ([a = 0, b = 0, c = 0, d = 0]) => `2606:4700::200:5efe:${hex(a, b)}:${hex(c, d)}`,
  };
  const octet = fc.nat(255);
  const METADATA = fc.oneof(
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.constantFrom([100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192]),
  );
  const INSIDE = fc.oneof(
    fc.tuple(fc.constantFrom(10, 127), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  );

  it.each(Object.keys(EMBEDDINGS))('never are metadata addresses, nor strictly private ones, as %s', (form) => {
    const embed = EMBEDDINGS[form]!;
    fc.assert(
      fc.property(METADATA, (octets) => {
        expect(isAllowedAddress(embed(octets), STRICT)).toBe(false);
        expect(isAllowedAddress(embed(octets), PRIVATE)).toBe(false);
      }),
      { seed: 1 },
    );
    fc.assert(
      fc.property(INSIDE, (octets) => expect(isAllowedAddress(embed(octets), STRICT)).toBe(false)),
      { seed: 1 },
    );
  });

  it('are those of this machine only where the shop is said to be on it', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect(isAllowedAddress(address, STRICT)).toBe(false);
      expect(isAllowedAddress(address, LOOPBACK)).toBe(true);
    }
    expect(['localhost', '127.0.0.1', '[::1]', '127.0.0.1.example', 'localhost.example'].map(isLoopbackHost)).toEqual([
      ...[true, true, true, false, false],
    ]);
  });

  it.each([
    ['http://shop.example/', LOOPBACK],
    ['ftp://127.0.0.1/', LOOPBACK],
    ['file:///etc/passwd', LOOPBACK],
    ['http://127.0.0.1/', STRICT],
    ['https://127.0.0.1/', STRICT],
    ['https://10.0.0.1/', STRICT],
    ['https://0x7f000001/', STRICT],
    ['https://2130706433/', STRICT],
    ['https://[::ffff:169.254.169.254]/', PRIVATE],
    ['http://10.0.0.1/', PRIVATE],
  ])('never are %s', (url, rules) => {
    expect(() => assertAllowedUrl(new URL(url), rules)).toThrow(AddressRefusedError);
  });

  it('are refused with the setting that would allow them, if there is one', () => {
    const refusal = (url: string) => () => assertAllowedUrl(new URL(url), STRICT);
    expect(refusal('https://10.0.0.1/')).toThrow('10.0.0.1 is not a public address. ALLOWED=on allows');
    expect(refusal('https://168.63.129.16/')).toThrow('No setting allows it.');
  });

  it('are https, and http on this machine', () => {
    assertAllowedUrl(new URL('https://shop.example/'), STRICT);
    assertAllowedUrl(new URL('http://localhost:8080/'), LOOPBACK);
    assertAllowedUrl(new URL('https://10.0.0.1/'), PRIVATE);
  });
});

describe('a guarded connection', () => {
  let server: Server;
  let port: number;
  let asked: string[];
  let location: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/away') response.writeHead(302, { Location: location });
      response.end('[]');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => (asked = []));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => server.close());

  it('is not made to a name that resolves to an address which is refused', async () => {
    const agent = guardedAgent(STRICT, 1_000);
    const refused = fetch(`http://localhost:${port}/`, { dispatcher: agent });
    await expect(refused).rejects.toMatchObject({ cause: { name: 'AddressRefusedError' } });
    expect(asked).toEqual([]);
    await agent.destroy();
  });

  it('is not made when one of several addresses is refused', async () => {
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ];
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_name: string, _options: unknown, done: (...found: unknown[]) => void) =>
        done(null, addresses)) as unknown as typeof dns.lookup);
    const agent = guardedAgent(LOOPBACK, 1_000);
    await expect(fetch(`http://shop.example:${port}/`, { dispatcher: agent })).rejects.toMatchObject({
      cause: { name: 'AddressRefusedError', message: expect.stringContaining('169.254.169.254') as string },
    });
    expect(asked).toEqual([]);
    await agent.destroy();
  });

  const read = async (path: string, configured = `http://127.0.0.1:${port}`) => {
    const client = openShopClient(new URL(configured), {
      allowPrivateAddresses: false,
      retryBaseMs: 1,
      timeoutMs: 1_000,
    });
    try {
      return await client.get(new URL(path, configured), { signal: new AbortController().signal }, (answer) =>
        answer.text(),
      );
    } finally {
      await client.close();
    }
  };

  it('follows a redirect, and not into a private network', async () => {
    location = '/here';
    expect(await read('/away')).toBe('[]');
    for (location of [
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'http://shop.example/',
      'file:///etc/passwd',
    ]) {
      await expect(read('/away')).rejects.toMatchObject({ name: 'SourceError', fault: 'address_refused' });
    }
    location = '/away';
    await expect(read('/away')).rejects.toMatchObject({ fault: 'unavailable' });
  });

  it('of a store elsewhere never leads to this machine', async () => {
    const wrong = read(`http://127.0.0.1:${port}/`, 'https://shop.example');
    await expect(wrong).rejects.toMatchObject({ fault: 'address_refused' });
    expect(asked).toEqual([]);
  });
});
