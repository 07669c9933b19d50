import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { type DatabaseServer, databases, hasDatabase } from '../../fixtures/database-servers.ts';
import { runStoreLaws } from '../../fixtures/run-store-laws.ts';
import { openRunStore } from './open-run-store.ts';

describe.each(['redis', 'postgres'] as const)('%s', (kind) => {
  describe.skipIf(!hasDatabase(kind))('of this machine', () => {
    let server: DatabaseServer;
    beforeAll(async () => {
      server = await databases[kind]();
    });
    afterAll(() => server.close());

    const openTwice = async (options: Parameters<typeof openRunStore>[1]) => {
      await server.clear();
      const store = await openRunStore(server.url, options);
      return { store, other: await openRunStore(server.url, options) };
    };

    runStoreLaws(kind, (now) => openTwice({ now }));
    const keys = new Map([['k1', createSecretKey(randomBytes(32))]]);
    runStoreLaws(`sealed ${kind}`, (now) => openTwice({ now, keys }));
  });
});
