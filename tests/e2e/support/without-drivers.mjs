// Loaded into a program before everything else: the packages that talk to Redis and PostgreSQL are not installed.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'ioredis' || specifier === 'pg' ? `missing-${specifier}` : specifier, context),
});
