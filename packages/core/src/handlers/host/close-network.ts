import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Takes the network away from everything in this process. The permission model of Node.js gates it only from version 25 on;
 * before that, this is the gate. What is closed here is what all the rest of Node.js ends in: TLS, HTTP and HTTP/2 connect and
 * listen with these methods, so code that kept a reference to one of their functions finds it closed too.
 */
export function closeNetwork(): void {
  closeFunctions(net, ['connect', 'createConnection', 'createServer']);
  closeFunctions(net.Socket.prototype, ['connect']);
  closeFunctions(net.Server.prototype, ['listen']);
  closeFunctions(dgram, ['createSocket']);
  closeFunctions(dgram.Socket.prototype, ['bind', 'connect', 'send', 'addMembership']);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    closeFunctions(owner, functionNames(owner));
  }
  syncBuiltinESMExports();
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}

/** Functions but not classes: `Resolver` stays, its methods are closed. */
function functionNames(owner: object): string[] {
  const names = Object.getOwnPropertyNames(owner).filter((name) => /^[a-z]/.test(name) && name !== 'constructor');
  return names.filter((name) => typeof Reflect.get(owner, name) === 'function');
}

/** Replaces functions of `owner` by ones that throw and say why. */
export function closeFunctions(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (): never => {
      const message = `${name} is closed: a handler host has no network but the fetch that handlers are given`;
      throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
    };
    Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true });
  }
}
