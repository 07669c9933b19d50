/** The program inside of a VM: it runs the handlers of one schema. A worker loads it, and calls what it exports. */
import './natives.ts';
import './proxies.ts';
import { consoleOf } from '../../host/console.ts';
import { watchRawJson } from '../../host/raw-json.ts';
import { taskInProgress } from '../../host/tasks.ts';
import { recordLines } from '../../host/thrown.ts';
import { timersOf } from '../../host/timers.ts';
import { HandlerAbortController, HandlerAbortSignal } from '../../host/web/abort-signal.ts';
import { HandlerEvent, HandlerEventTarget } from '../../host/web/event-target.ts';
import { brokeredFetch } from '../../host/web/fetch.ts';
import { webApi } from '../../host/web/web-api.ts';
import { freezeRealm, harden } from './freeze-realm.ts';
import { knowLocales } from './locales.ts';
import { importInHandler } from './program.ts';
import { HandlerURL, HandlerURLSearchParams } from './url.ts';
import { webCrypto } from './web-crypto.ts';

export { take, takeStray } from './serve.ts';

/** There in the engine, and not in hosts. */
const EXTRA = [
  'process',
  'SharedArrayBuffer',
  'WeakRef',
  'FinalizationRegistry',
  'InternalError',
  'Crypto',
  'SubtleCrypto',
  'CryptoKey',
];

Object.assign(globalThis, {
  ...timersOf(''),
  ...webApi,
  URL: HandlerURL,
  URLSearchParams: HandlerURLSearchParams,
  AbortController: HandlerAbortController,
  AbortSignal: HandlerAbortSignal,
  Event: HandlerEvent,
  EventTarget: HandlerEventTarget,
  console: consoleOf(''),
  crypto: webCrypto(),
  performance: performanceClock(),
  fetch: brokeredFetch(taskInProgress),
  harden,
  __schemakitImport: importInHandler,
});
for (const name of EXTRA) Reflect.deleteProperty(globalThis, name);
knowLocales();
watchRawJson();
nameSitesAsNode();
recordLines();
keepStacks();
freezeRealm();

function performanceClock(): object {
  const native = performance;
  return { now: () => native.now() };
}

/** In this engine they are setters, which work on a frozen object too. */
function keepStacks(): void {
  for (const name of ['prepareStackTrace', 'stackTraceLimit'] as const) {
    Object.defineProperty(Error, name, { value: Error[name], writable: false, configurable: false });
  }
}

/** Gives the sites of a stack the method by which Node.js tells the script. */
function nameSitesAsNode(): void {
  let sites: NodeJS.CallSite[] = [];
  Error.prepareStackTrace = (_, given) => {
    sites = given;
  };
  void new Error('').stack;
  const prototype: object = Object.getPrototypeOf(sites[0]);
  Object.defineProperty(prototype, 'getScriptNameOrSourceURL', { value: Reflect.get(prototype, 'getFileName') });
}
