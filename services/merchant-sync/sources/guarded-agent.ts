import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr, { type IPv6 } from 'ipaddr.js';
import { Agent } from 'undici';

/** An address that nobody outside may make this server ask. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

export interface AddressRules {
  /** Addresses of private networks are let through; link-local ones, where clouds keep secrets, never are. */
  readonly allowPrivateAddresses: boolean;
  /** The operator named this machine himself. */
  readonly allowLoopback: boolean;
  /** The setting behind `allowPrivateAddresses`, for the refusal. */
  readonly setting: string;
}

const PRIVATE: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

/** Whether the host of a URL is this machine by its name alone, before any name is resolved. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || rangeOf(hostname.replace(/^\[|\]$/g, '')) === 'loopback';
}

/** Whether a connection to this IP address may be made. */
export function isAllowedAddress(address: string, rules: AddressRules): boolean {
  const range = rangeOf(address);
  if (range === 'unicast') return true;
  if (range === 'loopback') return rules.allowLoopback || rules.allowPrivateAddresses;
  return rules.allowPrivateAddresses && range !== undefined && PRIVATE.has(range);
}

/** Undefined: no IP address. Behind NAT64 the IPv4 address counts that it stands for. */
function rangeOf(address: string): string | undefined {
  try {
    const ip = ipaddr.process(address);
    if (ip.range() !== 'rfc6052') return ip.range();
    return ipaddr.parse((ip as IPv6).toByteArray().slice(12).join('.')).range();
  } catch {
    return undefined;
  }
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
  if (rangeOf(literal) !== undefined && !isAllowedAddress(literal, rules)) throw refused(hostname, literal, rules);
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

function refused(hostname: string, address: string, { setting }: AddressRules): AddressRefusedError {
  const name = hostname === address ? address : `${hostname} (${address})`;
  return new AddressRefusedError(
    `${name} is no public address. ${setting}=on lets addresses of private networks through.`,
  );
}
