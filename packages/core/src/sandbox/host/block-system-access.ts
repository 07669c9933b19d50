import asyncHooks from 'node:async_hooks';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';

/** Methods of libuv handles that reach the network. */
const NETWORK_METHODS = /^(?:connect|bind|listen|send|query|getHostByAddr|setServers|setLocalAddress)|Membership/;

/**
 * Blocks what the permission model of Node.js still allows: the network, which it covers only from version 25 on, and signals to
 * other processes.
 *
 * These are the lowest methods, which TLS, HTTP and HTTP/2 use to connect and listen. So code that kept a reference to one of
 * their functions is blocked as well.
 */
export function blockSystemAccess(): void {
  for (const prototype of nativeHandles()) {
    blockFunctions(
      prototype,
      Object.getOwnPropertyNames(prototype).filter((name) => NETWORK_METHODS.test(name)),
    );
  }
  blockFunctions(net, ['connect', 'createConnection', 'createServer', '_createServerHandle']);
  blockFunctions(net.Socket.prototype, ['connect']);
  blockFunctions(net.Server.prototype, ['listen', '_listen2']);
  blockFunctions(dgram.Socket.prototype, ['bind', 'connect', 'send', 'addMembership']);
  blockFunctions(dgram, ['createSocket', 'Socket', '_createSocketHandle']);
  // They expose internal objects of Node.js: socket handles and file system requests.
  blockFunctions(asyncHooks, ['createHook', 'executionAsyncResource']);
  blockFunctions(os, ['setPriority']);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    blockFunctions(owner, functionNames(owner));
  }
  blockFunctions(process, ['kill', '_kill', '_debugProcess']);
  syncBuiltinESMExports();
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}

/** Replaces functions of `owner` by functions that throw. */
export function blockFunctions(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (): never => {
      const message = `${name} is blocked in the sandbox; code here has no network but fetch`;
      throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
    };
    Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true });
  }
}

/** Functions, not classes: `Resolver` stays, with its methods blocked. */
function functionNames(owner: object): string[] {
  const names = Object.getOwnPropertyNames(owner).filter((name) => /^[a-z]/.test(name) && name !== 'constructor');
  return names.filter((name) => typeof Reflect.get(owner, name) === 'function');
}

/**
 * The prototypes of the native handles for TCP, UDP, Unix sockets (where a container daemon may listen) and DNS queries, whose
 * server can be chosen. Libraries can get at some of these handles, such as the IPC channel, and create others from them.
 */
function nativeHandles(): object[] {
  const channel = heldBy(process).find((value) => 'readStart' in value);
  const handles = [channel, Reflect.get(new dns.Resolver(), '_handle'), attempt(udpHandle), attempt(tcpHandle)];
  return handles.filter(isObject).map((handle): object => Object.getPrototypeOf(handle));
}

function udpHandle(): unknown {
  const socket = dgram.createSocket('udp4');
  const handle: unknown = Reflect.get(heldBy(socket).find((value) => 'handle' in value) ?? {}, 'handle');
  socket.close();
  return handle;
}

/** Not bound to an address. */
function tcpHandle(): unknown {
  const handle = call(net, '_createServerHandle', [null, 0, 4]);
  if (isObject(handle)) call(handle, 'close', []);
  return handle;
}

function heldBy(owner: object): object[] {
  return Object.getOwnPropertySymbols(owner)
    .map((key): unknown => Reflect.get(owner, key))
    .filter(isObject);
}

/** Where the permission model covers the network, such handles cannot be created at all. */
function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function call(owner: object, name: string, args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(owner, name);
  return typeof method === 'function' ? Reflect.apply(method, owner, args) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
