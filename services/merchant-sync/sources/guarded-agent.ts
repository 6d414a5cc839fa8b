import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { Agent } from 'undici';

/** An address that this server must not call on behalf of others. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

export interface AddressRules {
  /** Addresses of private networks are let through; link-local and cloud metadata addresses never are. */
  readonly allowPrivateAddresses: boolean;
  /** The operator named this machine himself. */
  readonly allowLoopback: boolean;
  /** The setting behind `allowPrivateAddresses`, for the refusal. */
  readonly setting: string;
}

/** Where clouds serve credentials and configuration to their machines. Refused whatever the rules allow. */
const METADATA = [
  // AWS, Azure, Google Cloud, Oracle and most others; also AWS ECS, Tencent Cloud and Scaleway
  '169.254.0.0/16',
  // Alibaba Cloud, within carrier-grade NAT
  '100.100.100.200/32',
  // Azure's host agent, a public address
  '168.63.129.16/32',
  // Oracle Cloud Classic
  '192.0.0.192/32',
  // AWS over IPv6: instance metadata, EKS pod identity, DNS and time
  'fd00:ec2::/32',
  // Google Cloud, Oracle, Scaleway and Akamai over IPv6
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::1/128',
].map((range) => ipaddr.parseCIDR(range));

const PRIVATE: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

/** Whether the host of a URL is this machine by its name alone, before any name is resolved. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || rangesOf(hostname.replace(/^\[|\]$/g, '')).join() === 'loopback';
}

/** Whether a connection to this IP address may be made. */
export function isAllowedAddress(address: string, rules: AddressRules): boolean {
  const ranges = rangesOf(address);
  return ranges.length > 0 && ranges.every((range) => isAllowedRange(range, rules));
}

function isAllowedRange(range: string, { allowPrivateAddresses, allowLoopback }: AddressRules): boolean {
  if (range === 'unicast') return true;
  if (range === 'loopback') return allowLoopback || allowPrivateAddresses;
  return allowPrivateAddresses && PRIVATE.has(range);
}

/** The ranges of an address, and of the IPv4 addresses that an IPv6 address embeds; empty: no IP address. */
function rangesOf(address: string): string[] {
  if (!ipaddr.isValid(address)) return [];
  const ip = ipaddr.process(address);
  const own = METADATA.some(([base, bits]) => base.kind() === ip.kind() && ip.match(base, bits))
    ? 'metadata'
    : ip.range();
  if (ip.kind() === 'ipv4') return [own];
  const embedded = embeddedIn(ip as IPv6).map((each) => rangesOf(each.toString()).join());
  // A NAT64 prefix is a way to the IPv4 address, not a place of its own.
  if (own === 'rfc6052') return embedded.length > 0 ? embedded : [own];
  if (own === 'unicast' && ip.match(COMPATIBLE, 96)) return ['ipv4Compatible'];
  return [own, ...embedded];
}

/** IPv4-compatible addresses, which nothing uses any more. */
const COMPATIBLE = ipaddr.IPv6.parse('::');
/** NAT64: the well-known prefix, and the range of which networks choose their own (RFC 6052, RFC 8215). */
const [NAT64, LOCAL_NAT64] = [ipaddr.IPv6.parse('64:ff9b::'), ipaddr.IPv6.parse('64:ff9b:1::')];
/** Where an IPv4 address lies behind a NAT64 prefix of 48, 56, 64 and 96 bits: byte 8 is left out. */
const NAT64_FORMS = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
] as const;

/** The IPv4 addresses that are reached through an IPv6 one; several where the length of its prefix is not known. */
function embeddedIn(ip: IPv6): IPv4[] {
  const bytes = ip.toByteArray();
  const at = (places: readonly number[]) => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0));
  const last = at([12, 13, 14, 15]);
  if (ip.match(NAT64, 96)) return [last];
  if (ip.match(LOCAL_NAT64, 48)) {
    const read = NAT64_FORMS.map(at);
    // Padding read as an address; of a prefix that holds nothing else all are.
    const addresses = read.filter(({ octets }) => octets[0] !== 0);
    return addresses.length > 0 ? addresses : read;
  }
  // ISATAP (RFC 5214), behind any prefix.
  const [first = 0, second, third, fourth] = bytes.slice(8);
  return (first & 0xfc) === 0 && second === 0 && third === 0x5e && fourth === 0xfe ? [last] : [];
}

/**
 * Checks what a URL says before it is asked: https, or http on this machine, and no address that the
 * rules refuse. Names are checked once they are resolved, by the agent.
 * @throws AddressRefusedError
 */
export function assertAllowedUrl({ protocol, hostname, host }: URL, rules: AddressRules): void {
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname))) {
    throw new AddressRefusedError(`${host} must be asked over https; http is for this machine alone.`);
  }
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isAllowedAddress(literal, rules)) throw refused(hostname, literal, rules);
}

/** Connects to allowed addresses alone: a name is refused when one of the addresses that it resolves to is. */
export function guardedAgent(rules: AddressRules, timeoutMs: number): Agent {
  const guarded: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const wrong = found.find(({ address }) => !isAllowedAddress(address, rules));
      if (wrong !== undefined) {
        callback(refused(hostname, wrong.address, rules), '', 0);
        return;
      }
      const [first] = found;
      if (options.all === true) {
        callback(null, found);
        return;
      }
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
  return new Agent({
    connect: { lookup: guarded, timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
}

function refused(hostname: string, address: string, rules: AddressRules): AddressRefusedError {
  const name = hostname === address ? address : `${hostname} (${address})`;
  const isPrivate = isAllowedAddress(address, { ...rules, allowPrivateAddresses: true });
  return new AddressRefusedError(
    `${name} is not a public address. ` +
      (isPrivate ? `${rules.setting}=on allows addresses of private networks.` : 'No setting allows it.'),
  );
}
