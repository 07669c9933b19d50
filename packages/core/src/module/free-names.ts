const languageNames = `
  AggregateError Array ArrayBuffer AsyncIterator BigInt BigInt64Array BigUint64Array Boolean DataView Date Error
  EvalError FinalizationRegistry Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl
  Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
  SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet
  decodeURI decodeURIComponent encodeURI encodeURIComponent escape isFinite isNaN parseFloat parseInt undefined
  unescape`;

const hostNames = `
  AbortController AbortSignal Blob Buffer DOMException Event EventTarget File FormData Headers Request Response
  TextDecoder TextEncoder URL URLSearchParams atob btoa clearInterval clearTimeout console crypto fetch performance
  queueMicrotask structuredClone`;

/** Names of the language and of the host that handlers may use without declaring them. */
export const allowedNames: ReadonlySet<string> = words(`${languageNames} ${hostNames}`);

/** Names that reach beyond what a schema may have, by the rule that forbids them. */
export const forbiddenNames: Readonly<Record<string, string>> = {
  __proto__: 'SEC018',
  require: 'SEC002',
  eval: 'SEC003',
  Function: 'SEC004',
  process: 'SEC006',
  global: 'SEC008',
  globalThis: 'SEC008',
  self: 'SEC008',
  window: 'SEC008',
  document: 'SEC008',
  __dirname: 'SEC009',
  __filename: 'SEC009',
  exports: 'SEC012',
  module: 'SEC012',
  Atomics: 'SEC019',
  SharedArrayBuffer: 'SEC019',
  WebAssembly: 'SEC019',
  BroadcastChannel: 'SEC021',
  EventSource: 'SEC021',
  MessageChannel: 'SEC021',
  SharedWorker: 'SEC021',
  WebSocket: 'SEC021',
  Worker: 'SEC021',
  XMLHttpRequest: 'SEC021',
  // Modules of Node that CommonJS code would have required.
  fs: 'SEC005',
  child_process: 'SEC007',
  dgram: 'SEC021',
  dns: 'SEC021',
  http: 'SEC021',
  https: 'SEC021',
  net: 'SEC021',
  tls: 'SEC021',
  worker_threads: 'SEC021',
  Bun: 'SEC025',
  Deno: 'SEC025',
  os: 'SEC025',
  vm: 'SEC025',
};

/** Timers are there, but a handler that waits uses up its deadline. */
export const timerNames: ReadonlySet<string> = new Set(['setImmediate', 'setInterval', 'setTimeout']);

/** Members that lead from a value to the machinery behind it. */
export const forbiddenMembers: ReadonlySet<string> = words(`
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ callee caller constructor
  getBuiltinModule mainModule prepareStackTrace prototype`);

/** Built-in modules that do nothing but compute; a handler may load them. */
export const harmlessModules: ReadonlySet<string> = words(`
  buffer crypto path querystring stream url util zlib`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
