import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host to listen on, or of an address, is this machine alone. Other names may be anything. */
export function isLoopbackHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  if (version === 0) return address.toLowerCase() === 'localhost';
  return LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
