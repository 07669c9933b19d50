/** Of all keys. */
export const prefix = 'schemakit:';

// Redis runs a script with nothing in between. A time that is empty is that of Redis: the clocks of its clients may differ.
const start = `
  local p = '${prefix}'
  local phases = { 'waiting', 'running', 'paused', 'ended' }
  local function timeOf(given)
    if given ~= '' then return tonumber(given) end
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
  end
`;

/** ARGV: time, key of a text. */
const findText = `return { redis.call('GET', p .. ARGV[2]), timeOf(ARGV[1]) }`;

/** ARGV: the run as JSON, the text to replace, the new text, entries of its journal. */
const saveRun = `
  local run = cjson.decode(ARGV[1])
  if (redis.call('GET', p .. 'run:' .. run.id) or '') ~= ARGV[2] then return 0 end
  redis.call('SET', p .. 'run:' .. run.id, ARGV[3])
  for index = 4, #ARGV do redis.call('RPUSH', p .. 'journal:' .. run.id, ARGV[index]) end
  if ARGV[2] == '' then
    redis.call('SADD', p .. 'tools', run.tool)
    redis.call('ZADD', p .. 'runs', run.createdAt, run.id)
    if run.owner then redis.call('ZADD', p .. 'runs:' .. run.owner, run.createdAt, run.id) end
    redis.call('ZADD', p .. 'expiring', run.expiresAt, 'run:' .. run.id)
  end
  for _, phase in ipairs(phases) do
    if phase ~= run.phase then redis.call('ZREM', p .. phase .. ':' .. run.tool, run.id) end
  end
  redis.call('ZADD', p .. run.phase .. ':' .. run.tool, run.order, run.id)
  if run.isKill then redis.call('INCR', p .. 'kills') end
  if run.channel then redis.call('PUBLISH', run.channel, run.message) end
  return 1
`;

/** ARGV: time, milliseconds to keep the run for, tools as JSON, ids to leave as JSON. */
const pickLost = `
  local now, count, except = timeOf(ARGV[1]), 0, {}
  for _, id in ipairs(cjson.decode(ARGV[4])) do except[id] = true; count = count + 1 end
  for _, tool in ipairs(cjson.decode(ARGV[3])) do
    local key = p .. 'running:' .. tool
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, count + 1)) do
      if not except[id] then
        redis.call('ZADD', key, now + ARGV[2], id)
        return { redis.call('GET', p .. 'run:' .. id), now }
      end
    end
  end
  return { false, now }
`;

/** Of each phase, then the leases that ran out, then when the oldest run that waits was created. */
const countRuns = `
  local counts = { 0, 0, 0, 0, tonumber(redis.call('GET', p .. 'kills') or 0), false }
  for _, tool in ipairs(redis.call('SMEMBERS', p .. 'tools')) do
    for index, phase in ipairs(phases) do counts[index] = counts[index] + redis.call('ZCARD', p .. phase .. ':' .. tool) end
    local oldest = redis.call('ZRANGE', p .. 'waiting:' .. tool, 0, 0, 'WITHSCORES')[2]
    if oldest then counts[6] = math.min(counts[6] or math.huge, oldest) end
  end
  return counts
`;

/** ARGV: the key, the text, when it expires, the text to replace unless it may be any. */
const putText = `
  if ARGV[4] and (redis.call('GET', p .. ARGV[1]) or '') ~= ARGV[4] then return 0 end
  redis.call('SET', p .. ARGV[1], ARGV[2])
  redis.call('ZADD', p .. 'expiring', ARGV[3], ARGV[1])
  return 1
`;

/** Of 100 runs and records. ARGV: time. Returns how many, then the runs. */
const expire = `
  local expired = redis.call('ZRANGEBYSCORE', p .. 'expiring', '-inf', timeOf(ARGV[1]), 'LIMIT', 0, 100)
  local texts = { #expired }
  for _, key in ipairs(expired) do
    local id = string.match(key, '^run:(.*)$')
    if id then
      local text = redis.call('GET', p .. key)
      local run = cjson.decode(text)
      for _, phase in ipairs(phases) do redis.call('ZREM', p .. phase .. ':' .. run.tool, id) end
      if run.owner then redis.call('ZREM', p .. 'runs:' .. run.owner, id) end
      redis.call('ZREM', p .. 'runs', id)
      redis.call('DEL', p .. 'journal:' .. id)
      texts[#texts + 1] = text
    end
    redis.call('DEL', p .. key)
    redis.call('ZREM', p .. 'expiring', key)
  end
  return texts
`;

const texts = { findText, saveRun, pickLost, countRuns, putText, expireTexts: expire };

/** As ioredis takes them. */
export const redisScripts: Record<keyof RedisScripts, { lua: string; numberOfKeys: number }> = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, { lua: start + text, numberOfKeys: 0 }]),
) as Record<keyof RedisScripts, { lua: string; numberOfKeys: number }>;

type Time = number | '';

/** The methods of a client that has them. */
export interface RedisScripts {
  findText(time: Time, key: string): Promise<[text: string | null, now: number]>;
  saveRun(run: string, replaces: string, text: string, ...entries: string[]): Promise<number>;
  pickLost(time: Time, holdMs: number, tools: string, except: string): Promise<[text: string | null, now: number]>;
  countRuns(): Promise<number[]>;
  putText(key: string, text: string, expiresAt: number, ...replaces: string[]): Promise<number>;
  expireTexts(time: Time): Promise<[count: number, ...runs: string[]]>;
}
