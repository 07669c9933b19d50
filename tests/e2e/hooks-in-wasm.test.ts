import { isolateIn } from './support/loopback-schema.ts';

// What hooks may do, and what becomes of it, does not depend on where they run; nor does what is kept from them.
isolateIn('wasm');
await import('./hooks.test.ts');
await import('./secrets.test.ts');
