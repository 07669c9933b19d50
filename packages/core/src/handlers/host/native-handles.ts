import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

/**
 * The prototypes of the objects with which Node.js itself reaches the network: TCP, UDP, sockets in the file system (which
 * lead to whatever listens there, such as a container daemon), and queries for names, whose server can be chosen. Libraries
 * find some of these objects, such as the channel to our process, and could make others of their kind.
 */
export function nativeHandles(): object[] {
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
