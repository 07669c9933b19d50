import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

// Each worker has a home of its own: nothing is left in the user's, and files that run at the same time share no cache.
const home = join(import.meta.dirname, '../../node_modules/.test-home', process.env.VITEST_POOL_ID ?? '0');
mkdirSync(home, { recursive: true });
process.env.HOME = home;
delete process.env.XDG_CACHE_HOME;
delete process.env.SCHEMAKIT_HOME;
