import asyncHooks from 'node:async_hooks';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';

/** Methods of libuv's objects that lead out. */
const REACHING = /^(?:connect|bind|listen|send|query|getHostByAddr|setServers|setLocalAddress)|Membership/;

/**
 * Takes away from this process what the permission model of Node.js leaves to it: the network, which is gated only from
 * version 25 on, and signals to other processes.
 *
 * What is closed here is what all the rest of Node.js ends in: TLS, HTTP and HTTP/2 connect and listen with these methods, so
 * code that kept a reference to one of their functions finds it closed too.
 */
export function closeWaysOut(): void {
  for (const prototype of nativeHandles()) {
    closeFunctions(
      prototype,
      Object.getOwnPropertyNames(prototype).filter((name) => REACHING.test(name)),
    );
  }
  closeFunctions(net, ['connect', 'createConnection', 'createServer', '_createServerHandle']);
  closeFunctions(net.Socket.prototype, ['connect']);
  closeFunctions(net.Server.prototype, ['listen', '_listen2']);
  closeFunctions(dgram.Socket.prototype, ['bind', 'connect', 'send', 'addMembership']);
  closeFunctions(dgram, ['createSocket', 'Socket', '_createSocketHandle']);
  // These hand out the objects with which Node.js itself works: handles of sockets, requests of the file system.
  closeFunctions(asyncHooks, ['createHook', 'executionAsyncResource']);
  closeFunctions(os, ['setPriority']);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    closeFunctions(owner, functionNames(owner));
  }
  closeFunctions(process, ['kill', '_kill', '_debugProcess']);
  syncBuiltinESMExports();
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
}

/** Replaces functions of `owner` by ones that throw and say why. */
export function closeFunctions(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (): never => {
      const message = `${name} is closed in a handler host: code here reaches others only by the fetch that it is given`;
      throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
    };
    Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: true });
  }
}

/** Functions but not classes: `Resolver` stays, its methods are closed. */
function functionNames(owner: object): string[] {
  const names = Object.getOwnPropertyNames(owner).filter((name) => /^[a-z]/.test(name) && name !== 'constructor');
  return names.filter((name) => typeof Reflect.get(owner, name) === 'function');
}

/**
 * The prototypes of the objects with which Node.js itself reaches the network: TCP, UDP, sockets in the file system (which
 * lead to whatever listens there, such as a container daemon), and queries for names, whose server can be chosen. Libraries
 * find some of these objects, such as the channel to our process, and could make others of their kind.
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

/** Bound to no address. */
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

/** Where Node.js gates the network itself, it makes no such objects, for libraries as little as for us. */
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
