import { runBehind } from '../fixtures/behind.ts';

// What handlers get and what becomes of their answers is the same behind both walls, and so are the tests of it.
runBehind('wasm');
await import('../handler-call.test.ts');
await import('../describe-handlers.test.ts');
await import('../host/web/fetch.test.ts');
await import('../host/web/abort-signal.test.ts');
await import('../host/web/blob.test.ts');
await import('../host/tasks.test.ts');
