import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';

/**
 * Takes the network away from everything in this process. The permission model of Node.js gates it only from version 25 on;
 * before that, this is the gate. It has to run before any library is loaded, because a library may keep a function that it
 * finds. The methods of `net.Socket` and `dgram.Socket` are what the others end in, so code that kept a reference to an
 * inner function finds them closed too.
 */
export function closeNetwork(): void {
  close(net, ['connect', 'createConnection', 'createServer']);
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen']);
  close(tls, ['connect', 'createServer']);
  close(http, ['request', 'get', 'createServer']);
  close(https, ['request', 'get', 'createServer']);
  close(http2, ['connect', 'createServer', 'createSecureServer']);
  close(dgram, ['createSocket']);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send', 'addMembership']);
  closeAll(dns);
  closeAll(dns.promises);
  closeAll(dns.Resolver.prototype);
  closeAll(dns.promises.Resolver.prototype);
  close(inspector, ['open', 'url', 'waitForDebugger']);
  syncBuiltinESMExports();
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name);
}

function closeAll(owner: object): void {
  const names = Object.getOwnPropertyNames(owner).filter((name) => name !== 'constructor' && !/^[A-Z]/.test(name));
  close(
    owner,
    names.filter((name) => typeof Reflect.get(owner, name) === 'function'),
  );
}

function close(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (): never => {
      throw Object.assign(new Error(`No network here: ${name} is closed. Use the fetch that handlers are given.`), {
        code: 'ERR_ACCESS_DENIED',
      });
    };
    Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true });
  }
}
