import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Assessment, Letter } from '@schemakit/validator';
import type { KeptReport } from '../page/page-state.ts';
import type { Settings } from '../settings.ts';

/** Keeps reports under ids that nobody can guess. */
export interface ReportStore {
  /** @throws {Error} of SQLite, for example if the disk is full. */
  save(assessment: Assessment, about: ReportSubject): { id: string; deleteToken: string };
  find(id: string): KeptReport | undefined;
  /** `unknown` if there is no such report, `refused` if the token is wrong. */
  remove(id: string, deleteToken: string): 'removed' | 'refused' | 'unknown';
  /** The letter of the newest report of a host that counts for its badge. */
  letterOf(host: string): Letter | undefined;
  /** How many there are. */
  count(): number;
  /** The key that signs session cookies: it lives as long as the reports. */
  readonly sessionKey: string;
  close(): void;
}

export interface ReportSubject {
  url: string;
  /** Whether the badge of the host shows it: reports with own headers or of some layers do not. */
  isForBadge: boolean;
}

const version = 1;

const tables = `
  CREATE TABLE reports (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    delete_hash BLOB NOT NULL,
    url TEXT NOT NULL,
    badge_host TEXT,
    letter TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    assessment TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reports_by_host ON reports (badge_host, number) WHERE badge_host IS NOT NULL;
  CREATE INDEX reports_by_age ON reports (created_at);
  CREATE INDEX reports_by_size ON reports (number, bytes);
  CREATE TABLE keys (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${version};
`;

const dayMs = 24 * 60 * 60 * 1000;
/** Servers under test decide how large a report gets. */
const maxMemoryBytes = 256 * 1024 * 1024;
const maxFileBytes = 8 * 1024 * 1024 * 1024;

/** @throws {Error} if the folder or the file cannot be used. */
export function openReports({
  dataDir,
  maxReports,
  retentionDays,
}: Pick<Settings, 'dataDir' | 'maxReports' | 'retentionDays'>): ReportStore {
  const database = openDatabase(dataDir);
  const maxBytes = dataDir === undefined ? maxMemoryBytes : maxFileBytes;
  const oldest = () => Date.now() - retentionDays * dayMs;
  const insert = database.prepare(`
    INSERT INTO reports (id, delete_hash, url, badge_host, letter, created_at, bytes, assessment)
    VALUES (:id, :deleteHash, :url, :badgeHost, :letter, :createdAt, :bytes, :assessment)`);
  const select = database.prepare('SELECT * FROM reports WHERE id = ? AND created_at > ?');
  const newest = database.prepare(
    'SELECT letter FROM reports WHERE badge_host = ? AND created_at > ? ORDER BY number DESC LIMIT 1',
  );
  const remove = database.prepare('DELETE FROM reports WHERE id = ?');
  const removeOld = database.prepare(`
    DELETE FROM reports WHERE created_at <= :oldest OR number <= (
      SELECT max(number) FROM (
        SELECT number, row_number() OVER newest AS place, sum(bytes) OVER newest AS total
        FROM reports WINDOW newest AS (ORDER BY number DESC)
      ) WHERE place > :maxReports OR total > :maxBytes)`);
  const count = database.prepare('SELECT count(*) AS number FROM reports WHERE created_at > ?');
  const sweep = () => removeOld.run({ oldest: oldest(), maxReports, maxBytes });
  sweep();
  return {
    sessionKey: keyNamed('session', database),
    save(assessment, { url, isForBadge }) {
      const [id, deleteToken] = [newToken(), newToken()];
      const text = JSON.stringify(assessment);
      const row = {
        ...{ id, url, deleteHash: hashOf(deleteToken), letter: assessment.grade.letter, assessment: text },
        badgeHost: isForBadge ? (URL.parse(url)?.host ?? null) : null,
        createdAt: Date.now(),
        bytes: Buffer.byteLength(text),
      };
      inTransaction(database, () => {
        insert.run(row);
        sweep();
      });
      return { id, deleteToken };
    },
    find(id) {
      const row = select.get(id, oldest());
      if (row === undefined) return undefined;
      return {
        id,
        url: String(row.url),
        createdAt: new Date(Number(row.created_at)).toISOString(),
        assessment: JSON.parse(String(row.assessment)),
      };
    },
    remove(id, deleteToken) {
      const row = select.get(id, oldest());
      if (row === undefined) return 'unknown';
      if (!timingSafeEqual(row.delete_hash as Uint8Array, hashOf(deleteToken))) return 'refused';
      remove.run(id);
      return 'removed';
    },
    letterOf: (host) => newest.get(host, oldest())?.letter as Letter | undefined,
    count: () => Number(count.get(oldest())?.number),
    close: () => database.close(),
  };
}

/** 128 bits. */
function newToken(): string {
  return randomBytes(16).toString('base64url');
}

function hashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

function openDatabase(dataDir: string | undefined): DatabaseSync {
  const { DatabaseSync: Database } = loadSqlite();
  if (dataDir === undefined) return prepared(new Database(':memory:'));
  const file = join(dataDir, 'reports.sqlite');
  try {
    // Not `recursive`: Node.js hangs where a file system refuses folders, such as /proc.
    if (!existsSync(dataDir)) mkdirSync(dataDir, { mode: 0o700 });
    // SQLite would make a file that everybody may read. It gives its other two files the rights of this one.
    closeSync(openSync(file, 'a', 0o600));
    // The process before may still be ending.
    return prepared(new Database(file, { timeout: 2000 }));
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    const reason = errcode === SQLITE_BUSY ? 'another process uses the file' : message;
    throw new Error(`Cannot keep reports in ${file}: ${reason}`, { cause: error });
  }
}

const SQLITE_BUSY = 5;

function prepared(database: DatabaseSync): DatabaseSync {
  // A kept report survives a power failure, and a deleted one leaves nothing in the file.
  // The lock of the first access stays: a second process would delete by its own limits.
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
  );
  const found = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (found > version) throw new Error(`the file has version ${found}, and this SchemaKit reads ${version}`);
  if (found < version) database.exec(`BEGIN IMMEDIATE; ${tables} COMMIT;`);
  return database;
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    // Some errors, such as a full disk, have ended it already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function keyNamed(name: string, database: DatabaseSync): string {
  database.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?)').run(name, randomBytes(32).toString('base64url'));
  return String(database.prepare('SELECT value FROM keys WHERE name = ?').get(name)?.value);
}

/** Node 22 warns on standard error that `node:sqlite` is experimental, when it is loaded. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
