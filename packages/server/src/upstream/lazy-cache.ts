import type { AnswerCache } from '@schemakit/core';

/** A cache in memory, made when it is first used: a server starts without loading the library. */
export function lazyCache(): AnswerCache {
  let made: Promise<AnswerCache> | undefined;
  const cache = () => {
    made ??= import('@schemakit/core').then(({ createMemoryCache }) => createMemoryCache());
    return made;
  };
  return {
    salt: async () => (await cache()).salt(),
    read: async (key) => (await cache()).read(key),
    write: async (...entry) => (await cache()).write(...entry),
  };
}
