/** The proxies of this VM: its language has no way to ask whether something is one. */
const proxies = new WeakSet<object>();
const NativeProxy = Proxy;

export function isProxy(value: unknown): boolean {
  return typeof value === 'object' && value !== null && proxies.has(value);
}

function remembered<Type extends object>(proxy: Type): Type {
  proxies.add(proxy);
  return proxy;
}

const RememberedProxy = Object.defineProperty(
  function (target: object, handler: ProxyHandler<object>) {
    if (new.target === undefined) throw new TypeError("Constructor Proxy requires 'new'");
    return remembered(new NativeProxy(target, handler));
  },
  'name',
  { value: 'Proxy', configurable: true },
);
Object.assign(RememberedProxy, {
  revocable(target: object, handler: ProxyHandler<object>) {
    const made = NativeProxy.revocable(target, handler);
    remembered(made.proxy);
    return made;
  },
});
Reflect.deleteProperty(RememberedProxy, 'prototype');
Object.assign(globalThis, { Proxy: RememberedProxy });
