import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { takeRequest } from './rate-limit.ts';
import { assertLength, claimed, countsOf, leased, newRun, requested, written } from './run-changes.ts';
import type { RunPhase, RunStore, StoredRun, WatchListener } from './run-store.ts';
import { inTransaction, openSqliteFile, useSqlite } from './sqlite-file.ts';

/** How often a process looks for changes of others while it watches: SQLite does not tell of them. */
const pollMs = 250;

/** Runs in a SQLite file, which several processes of one machine may use; without a file, in the memory of this process. */
export function createSqliteRunStore(
  file?: string,
  { now = Date.now }: { now?: (() => number) | undefined } = {},
): RunStore {
  const database = openSqliteFile(file);
  const statements = prepareStatements(database);
  const listeners = new Set<{ listener: WatchListener }>();
  let timer: NodeJS.Timeout | undefined;

  const inode = inodeOf(file);
  const use = <T>(work: () => T): Promise<T> =>
    useSqlite(file, () => {
      // SQLite would go on in the file that is gone, and all would be lost with the process.
      if (inodeOf(file) !== inode) throw new Error(goneText(file));
      return work();
    });
  const write = <T>(work: () => T): Promise<T> => use(() => inTransaction(database, work));
  const tell: WatchListener = (...change) => {
    // After the transaction, which nothing interrupts: a listener that throws must not make a write fail that is stored.
    for (const { listener } of listeners) queueMicrotask(() => listener(...change));
  };
  const find = (id: string) => toRun(statements.findRun.get(id, now()));
  const change = (run: StoredRun): StoredRun => {
    statements.saveRun.run({ ...toRow(run), change: Number(statements.nextChange.get()?.last) });
    tell(run.id, run);
    return run;
  };
  const addEntries = (id: string, from: number, entries: readonly string[]) => {
    for (const [index, text] of entries.entries()) statements.addEntry.run(id, from + index, text);
  };

  const stopPolling = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    async create(run, entries) {
      await write(() => {
        if (find(run.id) !== undefined) throw new Error(`The run ${run.id} exists already`);
        statements.deleteRun.run(run.id);
        change(newRun(run));
        addEntries(run.id, 0, entries);
      });
    },
    get: (id) => use(() => find(id)),
    list({ owner = null, after = null, limit }) {
      return use(() => statements.list.all({ owner, after, limit, now: now() }).flatMap((row) => toRun(row) ?? []));
    },
    read: (id, from = 0) => use(() => statements.read.all(id, from, now()).map(({ text }) => String(text))),
    readAnswer: (id) => use(() => find(id)?.answer),
    append(id, { fence, from, entries, phase = 'running' }) {
      return write(() => {
        const run = leased(find(id), id, fence);
        const length = Number(statements.length.get(id)?.length);
        assertLength(length, id, from ?? length);
        addEntries(id, length, entries);
        return change(written(run, { phase, now: now() }));
      });
    },
    claim({ leaseMs, tools, except = [] }) {
      return write(() => {
        const lists = { tools: JSON.stringify(tools), except: JSON.stringify(except) };
        const run = toRun(statements.claimable.get({ ...lists, now: now() }));
        if (run?.phase === 'running') statements.addKill.run();
        return run && change(claimed(run, { leaseMs, now: now() }));
      });
    },
    claimWaiting(id, leaseMs) {
      return write(() => {
        const run = find(id);
        return run?.phase === 'waiting' ? change(claimed(run, { leaseMs, now: now() })) : undefined;
      });
    },
    renew(id, fence, leaseMs) {
      return write(() => {
        const run = { ...leased(find(id), id, fence), leaseEndsAt: now() + leaseMs };
        statements.renew.run(run.leaseEndsAt, id);
        return run;
      });
    },
    request(id, request) {
      return write(() => {
        const run = find(id);
        const next = run && requested(run, request, now());
        return next === undefined ? run : change(next);
      });
    },
    watch(listener) {
      timer ??= pollChanges(statements, tell);
      const entry = { listener };
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
        if (listeners.size === 0) stopPolling();
      };
    },
    putRecord(key, text, { expiresAt, ifAbsent = false }) {
      return use(() => statements.putRecord.run({ key, text, expiresAt, now: ifAbsent ? now() : null }).changes > 0);
    },
    async getRecord(key) {
      const record = await use(() => statements.getRecord.get(key, now()));
      return record && String(record.text);
    },
    async deleteRecord(key) {
      await use(() => statements.deleteRecord.run(key));
    },
    take(name, limit) {
      const key = `rate:${name}`;
      return write(() => {
        const time = now();
        const taken = takeRequest(statements.getRecord.get(key, time)?.text?.toString(), limit, time);
        if ('waitMs' in taken) return taken.waitMs;
        statements.putRecord.run({ key, text: taken.record, expiresAt: time + limit.perMs, now: null });
        return 0;
      });
    },
    counts() {
      return use(() => {
        const groups = statements.countRuns.all().map(({ phase, count, oldest }) => {
          return { phase: phase as RunPhase, count: Number(count), oldest: Number(oldest) };
        });
        return countsOf(groups, Number(statements.countKills.get()?.kills));
      });
    },
    async expire() {
      await write(() => {
        statements.expireRuns.run(now());
        statements.expireRecords.run(now());
      });
    },
    async close() {
      stopPolling();
      if (database.isOpen) database.close();
    },
  };
}

/** Which file is at this path; undefined if there is none. */
function inodeOf(file: string | undefined): number | undefined {
  return file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.ino;
}

function goneText(file: string | undefined): string {
  return `Cannot use the runs in ${file}: the file was deleted or replaced while it was in use. Restart the server.`;
}

/** Looks for runs that other connections have changed. The timer does not keep the process alive. */
function pollChanges({ dataVersion, lastChange, changedSince }: Statements, tell: WatchListener) {
  let version = dataVersion.get()?.data_version;
  let last = Number(lastChange.get()?.last);
  const poll = () => {
    try {
      const current = dataVersion.get()?.data_version;
      if (current === version) return;
      for (const { id, phase, isCancelled, change } of changedSince.all(last)) {
        last = Number(change);
        tell(String(id), { phase: phase as RunPhase, isCancelled: isCancelled === 1 });
      }
      version = current;
    } catch {
      // The next look may work. Where it does not, calls fail too, and say why.
    }
  };
  return setInterval(poll, pollMs).unref();
}

type Statements = Readonly<Record<keyof typeof queries, StatementSync>>;

const queries = {
  findRun: 'SELECT * FROM runs WHERE id = ? AND expires_at > ?',
  saveRun: `
    INSERT INTO runs VALUES (:id, :tool, :owner, :createdAt, :expiresAt, :phase, :updatedAt, :fence, :leaseEndsAt, :kills, :isCancelled,
      :answer, :change, :priority)
    ON CONFLICT (id) DO UPDATE SET phase = :phase, updated_at = :updatedAt, fence = :fence, lease_ends_at = :leaseEndsAt, kills = :kills,
      is_cancelled = :isCancelled, answer = :answer, change = :change`,
  renew: 'UPDATE runs SET lease_ends_at = ? WHERE id = ?',
  deleteRun: 'DELETE FROM runs WHERE id = ?',
  list: `
    SELECT * FROM runs WHERE expires_at > :now AND (:owner IS NULL OR owner = :owner) AND (:after IS NULL OR
      (created_at, id) > (SELECT created_at, id FROM runs WHERE id = :after AND expires_at > :now))
    ORDER BY created_at, id LIMIT :limit`,
  claimable: `
    SELECT * FROM runs WHERE phase IN ('running', 'waiting') AND (phase = 'waiting' OR lease_ends_at <= :now) AND expires_at > :now
      AND tool IN (SELECT value FROM json_each(:tools)) AND id NOT IN (SELECT value FROM json_each(:except))
    ORDER BY phase, priority DESC, created_at, id LIMIT 1`,
  addKill: 'UPDATE changes SET kills = kills + 1',
  countRuns: 'SELECT phase, count(*) AS count, min(created_at) AS oldest FROM runs GROUP BY phase',
  countKills: 'SELECT kills FROM changes',
  read: `
    SELECT text FROM entries WHERE run_id = ? AND number >= ? AND EXISTS (SELECT 1 FROM runs WHERE id = run_id AND expires_at > ?)
    ORDER BY number`,
  length: 'SELECT coalesce(max(number) + 1, 0) AS length FROM entries WHERE run_id = ?',
  addEntry: 'INSERT INTO entries VALUES (?, ?, ?)',
  putRecord: `
    INSERT INTO records VALUES (:key, :text, :expiresAt)
    ON CONFLICT (key) DO UPDATE SET text = :text, expires_at = :expiresAt WHERE :now IS NULL OR records.expires_at <= :now`,
  getRecord: 'SELECT text FROM records WHERE key = ? AND expires_at > ?',
  deleteRecord: 'DELETE FROM records WHERE key = ?',
  expireRuns: 'DELETE FROM runs WHERE expires_at <= ?',
  expireRecords: 'DELETE FROM records WHERE expires_at <= ?',
  nextChange: 'UPDATE changes SET last = last + 1 RETURNING last',
  lastChange: 'SELECT last FROM changes',
  changedSince: 'SELECT id, phase, is_cancelled AS isCancelled, change FROM runs WHERE change > ? ORDER BY change',
  dataVersion: 'PRAGMA data_version',
};

function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(prepared);
}

type Row = NonNullable<ReturnType<StatementSync['get']>>;

function toRow({ owner, priority = 0, leaseEndsAt, answer, isCancelled, ...rest }: StoredRun) {
  return {
    ...rest,
    priority,
    owner: owner ?? null,
    leaseEndsAt: leaseEndsAt ?? null,
    answer: answer ?? null,
    isCancelled: Number(isCancelled),
  };
}

function toRun(row: Row | undefined): StoredRun | undefined {
  if (row === undefined) return undefined;
  return {
    id: String(row.id),
    tool: String(row.tool),
    ...(row.owner !== null && { owner: String(row.owner) }),
    ...(row.priority !== 0 && { priority: Number(row.priority) }),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    phase: row.phase as RunPhase,
    updatedAt: Number(row.updated_at),
    fence: Number(row.fence),
    ...(row.lease_ends_at !== null && { leaseEndsAt: Number(row.lease_ends_at) }),
    kills: Number(row.kills),
    isCancelled: row.is_cancelled === 1,
    ...(row.answer !== null && { answer: String(row.answer) }),
  };
}
