// Preload: a socket to any other machine throws, and is written to the file named by MNEMIS_TEST_NETWORK_LOG.
import dgram from 'node:dgram';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const LOCAL = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0']);

function refuse(what) {
  appendFileSync(process.env.MNEMIS_TEST_NETWORK_LOG, `${what}\n`);
  throw new Error(`blocked: ${what}`);
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const options = typeof first === 'object' && first !== null ? first : null;
  const isPath = options === null ? Number.isNaN(Number(first)) : typeof options.path === 'string';
  const host = options === null ? second : options.host;
  const isLocal = host === undefined || typeof host !== 'string' || LOCAL.has(host);
  return isPath || isLocal ? connect.apply(this, args) : refuse(`${host}`);
};
dgram.Socket.prototype.send = () => refuse('a datagram');
syncBuiltinESMExports();
