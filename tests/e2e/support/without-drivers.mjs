// Loaded into a program before everything else: the packages that talk to Redis and PostgreSQL are not installed, or only BullMQ is not.
import { registerHooks } from 'node:module';

const missing = process.env.WITHOUT?.split(',') ?? ['bullmq', 'ioredis', 'pg'];

registerHooks({
  resolve: (specifier, context, next) =>
    next(missing.includes(specifier) ? `missing-${specifier}` : specifier, context),
});
