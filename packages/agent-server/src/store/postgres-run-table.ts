import pg from 'pg';
import { countsOf } from './run-changes.ts';
import type { RunPhase, WatchListener } from './run-store.ts';
import { any, type Found, fromMessage, type OpenTable, silentMs, toMessage } from './shared-run-store.ts';

/** How often the connection for notifications is looked at, and how long it waits before it connects again. */
const lookMs = 3_000;
const pauseMs = 200;

/** `undefined_table` (PostgreSQL, appendix A). */
const missingTable = '42P01';

const tables = `
  SELECT pg_advisory_xact_lock(hashtext('schemakit'));
  CREATE SCHEMA IF NOT EXISTS schemakit;
  CREATE TABLE IF NOT EXISTS schemakit.runs (
    id text COLLATE "C" PRIMARY KEY,
    text text NOT NULL,
    tool text NOT NULL,
    owner text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    phase text COLLATE "C" NOT NULL,
    claim_at bigint
  );
  CREATE INDEX IF NOT EXISTS runs_by_age ON schemakit.runs (created_at, id);
  CREATE INDEX IF NOT EXISTS runs_by_owner ON schemakit.runs (owner, created_at, id);
  CREATE INDEX IF NOT EXISTS runs_by_lease ON schemakit.runs (phase, claim_at);
  CREATE INDEX IF NOT EXISTS runs_by_end ON schemakit.runs (expires_at);
  CREATE TABLE IF NOT EXISTS schemakit.entries (
    run_id text COLLATE "C" NOT NULL REFERENCES schemakit.runs ON DELETE CASCADE,
    number int NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (run_id, number)
  );
  CREATE TABLE IF NOT EXISTS schemakit.records (key text PRIMARY KEY, text text NOT NULL, expires_at bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS schemakit.kills (count bigint NOT NULL);
  INSERT INTO schemakit.kills SELECT 0 WHERE NOT EXISTS (SELECT FROM schemakit.kills);
`;

/**
 * Runs in PostgreSQL, in the tables of the schema `schemakit`, which it makes if they are missing.
 *
 * @param options.now Instead of the clock of PostgreSQL.
 */
export const openPostgresTable: OpenTable = async (url, { tell, now }) => {
  const config = { connectionString: url, connectionTimeoutMillis: silentMs, query_timeout: silentMs, keepAlive: true };
  const pool = new pg.Pool({ ...config, allowExitOnIdle: true });
  // Of idle connections, which the pool replaces.
  pool.on('error', () => {});
  const { host, port, database } = new pg.Client(config);
  const place = `postgres://${host}:${port}/${database}`;
  const query = async (sql: string, values: unknown[]): Promise<Row[]> => {
    const ask = async () => (await pool.query<Row>(sql, values)).rows;
    return ask().catch(async (error: { code?: string }) => {
      if (error.code !== missingTable) throw error;
      // Somebody has deleted them while this process is running.
      await pool.query(tables);
      return ask();
    });
  };
  /** `$1` is the time, where it is not that of PostgreSQL. */
  const queryNow = (sql: string, values: unknown[]) => query(sql, [now?.() ?? null, ...values]);
  const found = ([row]: Row[]) => ({ text: row?.text ?? undefined, now: Number(row?.now) });

  const { notify, sent } = createNotifier((messages) => query(notifyAll, [messages]));
  let stopListening: () => void;
  try {
    // Who may not make tables can use those that are there.
    const [made] = await query(`SELECT to_regclass('schemakit.kills') AS text`, []);
    if (made?.text === null) await pool.query(tables);
    stopListening = await listen(config, tell);
  } catch (error) {
    void pool.end();
    throw new Error(`Cannot open the runs at ${place}: ${(error as Error).message}`, { cause: error });
  }

  return {
    place,
    isLost(error) {
      const { code, severity } = error as { code?: string; severity?: string };
      // What PostgreSQL answers has a severity: its connections are ended (57P), too many (53), or broken (08), or it is busy (40).
      return severity === undefined || /^(?:08|40|53|57P)/.test(code ?? '');
    },
    findRun: async (id) => found(await queryNow(findRun, [id])),
    async saveRun({ run, text, replaces = null, from, entries, isKill = false, isQuiet = false }) {
      const { id, phase, tool, owner = null, createdAt, expiresAt, leaseEndsAt = null } = run;
      const common = [id, text, phase, leaseEndsAt, from, entries];
      const saved =
        replaces === null
          ? await query(createRun, [...common, tool, owner, createdAt, expiresAt])
          : await query(saveRun, [...common, replaces, isKill]);
      if (saved.length > 0 && !isQuiet) notify(toMessage(run));
      return saved.length > 0;
    },
    pickLost: async ({ holdMs, tools, except }) => found(await queryNow(pickLost, [tools, except, holdMs])),
    async listRuns({ owner = null, after = null, limit }) {
      return (await queryNow(listRuns, [owner, after, limit])).map(({ text }) => String(text));
    },
    async listWaiting(limit) {
      return (await queryNow(listWaiting, [limit])).map(({ text }) => String(text));
    },
    async readEntries(id, from) {
      const rows = await query(
        'SELECT text FROM schemakit.entries WHERE run_id = $1 AND number >= $2 ORDER BY number',
        [id, from],
      );
      return rows.map(({ text }) => String(text));
    },
    async countRuns() {
      const rows = await query(countRuns, []);
      const groups = rows.flatMap(({ phase, count, oldest }) =>
        phase ? { phase: phase as RunPhase, count: Number(count), oldest: Number(oldest) } : [],
      );
      return countsOf(groups, Number(rows.at(-1)?.count));
    },
    findRecord: async (key): Promise<Found> => found(await queryNow(findRecord, [key])),
    async putRecord(key, text, { expiresAt, replaces }) {
      const values = [key, text, expiresAt, replaces === any, replaces === any ? null : (replaces ?? null)];
      return (await query(putRecord, values)).length > 0;
    },
    async deleteRecord(key) {
      await query('DELETE FROM schemakit.records WHERE key = $1', [key]);
    },
    async expire() {
      const runs = await queryNow(expire('runs', 'id'), []);
      await queryNow(expire('records', 'key'), []);
      return runs.map(({ text }) => String(text));
    },
    async close() {
      stopListening();
      await sent();
      await pool.end();
    },
  };
};

/**
 * Tells watchers of changes that are stored: those that come while the last are sent go together. Not in the transaction of a change: of
 * transactions that notify, PostgreSQL commits one after the other, with a sync of the disk each. Watchers who are never told, as this
 * process has ended, look for themselves.
 */
function createNotifier(send: (messages: readonly string[]) => Promise<unknown>): {
  notify(message: string): void;
  /** Waits until all are sent. */
  sent(): Promise<void>;
} {
  let next: string[] = [];
  let sending: Promise<void> | undefined;
  const sendAll = async () => {
    while (next.length > 0) {
      const messages = next;
      next = [];
      // Who cannot be reached looks at all runs when the connection is back.
      await send(messages).catch(() => {});
    }
    sending = undefined;
  };
  return {
    notify(message) {
      next.push(message);
      sending ??= sendAll();
    },
    sent: async () => sending,
  };
}

/** Keeps a connection for notifications. One that is lost is made again; what happened meanwhile is not known then. */
async function listen(config: pg.ClientConfig, tell: WatchListener): Promise<() => void> {
  let isOpen = true;
  let client: pg.Client;
  let timer: NodeJS.Timeout;

  const connect = async (): Promise<void> => {
    const own = new pg.Client(config);
    client = own;
    own.on('error', () => {});
    own.on('notification', ({ payload = '' }) => {
      tell(...fromMessage(payload));
    });
    try {
      await own.connect();
      await own.query('LISTEN schemakit');
    } catch (error) {
      void own.end();
      throw error;
    }
    // A line that passes nothing tells nobody.
    const look = setInterval(() => own.query('SELECT').catch(() => own.end()), lookMs).unref();
    own.once('end', () => {
      clearInterval(look);
      reconnect();
    });
  };
  const reconnect = () => {
    if (!isOpen) return;
    timer = setTimeout(() => connect().then(() => tell(undefined), reconnect), pauseMs).unref();
  };
  await connect();
  return () => {
    isOpen = false;
    clearTimeout(timer);
    void client.end();
  };
}

interface Row {
  text?: string | null;
  now?: string;
  phase?: string;
  count?: string;
  oldest?: string;
}

const time = 'coalesce($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

const notifyAll = `SELECT pg_notify('schemakit', message) FROM unnest($1::text[]) AS message`;

const findRun = `SELECT ${time} AS now, (SELECT text FROM schemakit.runs WHERE id = $2) AS text`;

/** The entries of a run that is saved, in the same statement: all or nothing. */
const withEntries = `
  added AS (
    INSERT INTO schemakit.entries
    SELECT saved.id, $5::int + entry.number - 1, entry.text FROM saved, unnest($6::text[]) WITH ORDINALITY AS entry (text, number)
  )
  SELECT id AS text FROM saved`;
const createRun = `
  WITH saved AS (
    INSERT INTO schemakit.runs (id, text, phase, claim_at, tool, owner, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING RETURNING id
  ), ${withEntries}`;
const saveRun = `
  WITH saved AS (
    UPDATE schemakit.runs SET text = $2, phase = $3, claim_at = $4 WHERE id = $1 AND text = $7 RETURNING id
  ), killed AS (UPDATE schemakit.kills SET count = count + 1 FROM saved WHERE $8), ${withEntries}`;

const pickLost = `
  UPDATE schemakit.runs SET claim_at = ${time} + $4::bigint
  WHERE id = (
    SELECT id FROM schemakit.runs
    WHERE phase = 'running' AND claim_at <= ${time} AND expires_at > ${time} AND tool = ANY($2) AND id <> ALL($3)
    ORDER BY claim_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING text, ${time} AS now`;

const listRuns = `
  SELECT text FROM schemakit.runs
  WHERE expires_at > ${time} AND ($2::text IS NULL OR owner = $2) AND ($3::text IS NULL OR
    (created_at, id) > (SELECT created_at, id FROM schemakit.runs WHERE id = $3 AND expires_at > ${time}))
  ORDER BY created_at, id LIMIT $4`;

const listWaiting = `
  SELECT text FROM schemakit.runs WHERE phase = 'waiting' AND expires_at > ${time} ORDER BY created_at, id LIMIT $2`;

const countRuns = `
  SELECT phase, count(*), min(created_at) AS oldest FROM schemakit.runs GROUP BY phase
  UNION ALL SELECT NULL, coalesce((SELECT count FROM schemakit.kills), 0), NULL`;

const findRecord = `SELECT ${time} AS now, (SELECT text FROM schemakit.records WHERE key = $2) AS text`;
const putRecord = `
  INSERT INTO schemakit.records VALUES ($1, $2, $3)
  ON CONFLICT (key) DO UPDATE SET text = $2, expires_at = $3 WHERE $4 OR records.text = $5
  RETURNING key`;

/** Several servers do it at once. */
const expire = (table: string, key: string) => `
  DELETE FROM schemakit.${table} WHERE ${key} IN (
    SELECT ${key} FROM schemakit.${table} WHERE expires_at <= ${time} FOR UPDATE SKIP LOCKED
  ) RETURNING text`;
