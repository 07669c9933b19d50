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
  close(net, ['connect', 'createConnection', 'createServer']);
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen']);
  close(dgram, ['createSocket']);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send', 'addMembership']);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    close(owner, functionNames(owner));
  }
  syncBuiltinESMExports();
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}

/**
 * Closes the functions that libraries call, so that they fail at once and say why. Loading these modules takes tens of
 * milliseconds, which only hosts with libraries have to spend.
 */
export async function closeNetworkModules(): Promise<void> {
  const names = ['connect', 'createConnection', 'createSecureServer', 'createServer', 'get', 'request', 'open'];
  const modules = [import('node:tls'), import('node:http'), import('node:https'), import('node:http2'), import('node:inspector')];
  for (const { default: module } of await Promise.all(modules)) {
    close(
      module,
      names.filter((name) => typeof Reflect.get(module, name) === 'function'),
    );
  }
  syncBuiltinESMExports();
}

/** Functions but not classes: `Resolver` stays, its methods are closed. */
function functionNames(owner: object): string[] {
  const names = Object.getOwnPropertyNames(owner).filter((name) => /^[a-z]/.test(name) && name !== 'constructor');
  return names.filter((name) => typeof Reflect.get(owner, name) === 'function');
}

function close(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (): never => {
      const message = `${name} is closed: a handler host has no network but the fetch that handlers are given`;
      throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
    };
    Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true });
  }
}
