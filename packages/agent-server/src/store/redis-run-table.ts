import { Redis } from 'ioredis';
import { prefix, type RedisScripts, redisScripts } from './redis-scripts.ts';
import type { RunCounts } from './run-store.ts';
import { any, type Found, fromMessage, isLive, type OpenTable, silentMs, toMessage } from './shared-run-store.ts';

/**
 * Runs in Redis 7: `run:<id>` and `record:<key>` are texts, `journal:<id>` is a list. Sorted sets find them: `runs`, `runs:<owner>` and
 * `<phase>:<tool>` by their age, of those that run by the end of their leases; `expiring` by their end.
 *
 * @param options.now Instead of the clock of Redis.
 */
export const openRedisTable: OpenTable = async (url, { tell, now }) => {
  const redis = new Redis(url, {
    // Messages of a channel come on the same connection.
    protocol: 3,
    commandTimeout: silentMs,
    socketTimeout: silentMs,
    // Commands wait for a new connection until they time out; those without an answer are sent again.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(50 * times, 1_000),
    scripts: redisScripts,
  }) as Redis & RedisScripts;
  const { host, port, db = 0, tls } = redis.options;
  const place = `${tls ? 'rediss' : 'redis'}://${host}:${port}/${db}`;
  // A channel is none of a database: those of others would be heard.
  const channel = `${prefix}changes:${db}`;
  const time = () => now?.() ?? '';
  const find = async (key: string): Promise<Found> => {
    const [text, at] = await redis.findText(time(), key);
    return { text: text ?? undefined, now: at };
  };
  const findRun = (id: string) => find(`run:${id}`);

  let problem: Error | undefined;
  redis.on('error', (error) => {
    problem = error;
  });
  redis.on('message', (_, message: string) => {
    tell(...fromMessage(message));
  });
  try {
    await redis.subscribe(channel);
    // The client goes on in database 0 where there is no such database.
    await redis.select(db);
  } catch (error) {
    redis.disconnect();
    const { message } = problem ?? (error as Error);
    throw new Error(`Cannot open the runs at ${place}: ${plainProblem(message)}`, { cause: error });
  }
  redis.on('ready', () => tell(undefined));

  return {
    place,
    // Redis did not answer, or cannot for a while.
    isLost: (error) =>
      (error as Error).name !== 'ReplyError' || /^(?:LOADING|READONLY|BUSY) /.test((error as Error).message),
    findRun,
    async saveRun({ run, text, replaces = '', entries, isKill, isQuiet }) {
      const { id, tool, owner, phase, createdAt, expiresAt, leaseEndsAt } = run;
      const order = leaseEndsAt ?? createdAt;
      const how = {
        id,
        tool,
        owner,
        phase,
        createdAt,
        expiresAt,
        order,
        isKill,
        ...(!isQuiet && { channel, message: toMessage(run) }),
      };
      return (await redis.saveRun(JSON.stringify(how), replaces, text, ...entries)) === 1;
    },
    async pickLost({ holdMs, tools, except }) {
      const [text, at] = await redis.pickLost(time(), holdMs, JSON.stringify(tools), JSON.stringify(except));
      return { text: text ?? undefined, now: at };
    },
    async listRuns({ owner, after, limit }) {
      const index = `${prefix}runs${owner === undefined ? '' : `:${owner}`}`;
      const texts: string[] = [];
      const last = after === undefined ? -1 : await redis.zrank(index, after);
      if (last === null || (after !== undefined && !isLive(await findRun(after)))) return texts;
      for (let from = last + 1; texts.length < limit; from += limit) {
        const ids = await redis.zrange(index, `${from}`, `${from + limit - 1}`);
        const found = await Promise.all(ids.map(findRun));
        texts.push(...found.flatMap((run) => (isLive(run) ? run.text : [])));
        if (ids.length < limit) break;
      }
      return texts.slice(0, limit);
    },
    async listWaiting(limit) {
      const tools = await redis.smembers(`${prefix}tools`);
      const ids = await Promise.all(tools.map((tool) => redis.zrange(`${prefix}waiting:${tool}`, '0', `${limit - 1}`)));
      const found = await Promise.all(ids.flat().map(findRun));
      return found.flatMap((run) => (isLive(run) ? run.text : []));
    },
    readEntries: (id, from) => redis.lrange(`${prefix}journal:${id}`, from, -1),
    async countRuns() {
      const [waiting = 0, running = 0, paused = 0, ended = 0, kills = 0, oldestWaitingAt] = await redis.countRuns();
      const counts: RunCounts = { waiting, running, paused, ended, kills };
      return waiting > 0 && oldestWaitingAt !== undefined ? { ...counts, oldestWaitingAt } : counts;
    },
    findRecord: (key) => find(`record:${key}`),
    async putRecord(key, text, { expiresAt, replaces }) {
      const expected = replaces === any ? [] : [replaces ?? ''];
      return (await redis.putText(`record:${key}`, text, expiresAt, ...expected)) === 1;
    },
    async deleteRecord(key) {
      await redis.del(`${prefix}record:${key}`);
    },
    async expire() {
      const all: string[] = [];
      for (;;) {
        const [count, ...texts] = await redis.expireTexts(time());
        if (count === 0) return all;
        all.push(...texts);
      }
    },
    async close() {
      redis.disconnect();
    },
  };
};

/** Says what to change in the URL, where Redis or its client does not. */
function plainProblem(message: string): string {
  if (message.startsWith('NOAUTH ')) return 'it needs a password: redis://:<password>@<host>';
  if (message === 'Command timed out')
    return 'no answer from Redis; with TLS, the URL begins with rediss://, else with redis://';
  return message;
}
