import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';

/**
 * What limits count a request by: its IPv4 address, also where it arrives mapped into IPv6, or the /64
 * network of its IPv6 address, as `2001:db8:0:7::/64`. A single host may use every address of its /64.
 */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** Proxies in a row; entries of `X-Forwarded-For` further left are not read. */
const MAX_FORWARDED = 32;

/**
 * By the right-most entry of `X-Forwarded-For` that is no trusted proxy. The header counts only as far
 * as trusted proxies vouch for it: not at all when the connection comes from elsewhere, and not
 * beyond an entry that is no address or the 32nd entry.
 *
 * @param trustedProxies networks in CIDR notation, or single addresses
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const network of trustedProxies) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    trusted.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, familyOf(address));

  return ({ headers, socket }) => {
    let client = peerAddress(socket.remoteAddress);
    if (trustedProxies.length === 0 || !isTrusted(client)) return networkOf(client);
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
    let end = forwarded.length;
    for (let entries = 0; entries < MAX_FORWARDED && end >= 0; entries += 1) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const before = addressIn(forwarded.slice(comma + 1, end));
      if (before === undefined) break;
      client = before;
      if (!isTrusted(client)) break;
      end = comma;
    }
    return networkOf(client);
  };
}

/** The /64 of an IPv6 address in its usual spelling; anything else as it is. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  const behind = after === undefined || after === '' ? [] : after.split(':');
  const zeros = 8 - groups.length - behind.length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...behind];
  return `${all.slice(0, 4).join(':')}::/64`;
}

/** The operating system has one spelling for each, which needs no closer look. */
function peerAddress(address = 'unknown'): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const zone = address.indexOf('%');
  return zone === -1 ? address : address.slice(0, zone);
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The address of an entry, which some proxies write with a port. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (bracketed ?? beforePort ?? text).replace(/%.*$/, '');
  const family = isIP(address);
  if (family === 0) return undefined;
  if (family === 4) return address;
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(spelled)?.[1] ?? spelled;
}
