import { resolve } from 'node:path';
import type { Finding } from '@schemakit/core';
import { configFinding } from '../manifest/config-codes.ts';

/**
 * What keeps the runs of a URL, and the file of a `sqlite:` URL; or what is wrong with it. No message quotes the URL, which may have a
 * password.
 */
export function parseStoreUrl(
  url: string,
): { kind: 'memory' | 'redis' | 'postgres' } | { kind: 'sqlite'; file: string } | { kind: 'wrong'; finding: Finding } {
  if (url === 'memory:') return { kind: 'memory' };
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]+):(.*)$/is.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite': {
      if (rest === ':memory:') return wrong('cannot be sqlite::memory:', "Use 'memory:'.");
      // As in file URLs: a host, which is empty, stands between `//` and the path, and a drive of Windows after its slash.
      const [, host, path = rest] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
      if (host !== undefined && host !== '')
        return wrong('has a host before the file', "Write 'sqlite:folder/runs.db' or 'sqlite:///folder/runs.db'.");
      if (path === '' || path === '/') return wrong('names no file', "Write 'sqlite:runs.db', for example.");
      return { kind: 'sqlite', file: resolve(path.replace(/^\/(?=[a-z]:[\\/])/i, '')) };
    }
    case 'redis':
    case 'rediss':
      if (!isServer(url)) return wrong('names no server', "Write 'redis://127.0.0.1:6379', for example.");
      if (!isEncoded(url)) return notEncoded;
      return hasDatabaseNumber(new URL(url))
        ? { kind: 'redis' }
        : wrong('names a database that is no number', "Write 'redis://127.0.0.1:6379/0', for example.");
    case 'postgres':
    case 'postgresql':
      if (!isServer(url)) return wrong('names no server', "Write 'postgres://127.0.0.1/runs', for example.");
      return isEncoded(url) ? { kind: 'postgres' } : notEncoded;
    default:
      return wrong(scheme === '' ? 'is not a URL' : `cannot be a ${scheme}: URL`);
  }
}

function isServer(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname !== '';
}

/** The clients of both decode the parts of the URL, and say nothing of their place where they cannot. */
function isEncoded(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  try {
    decodeURIComponent(username + password + pathname);
    return true;
  } catch {
    return false;
  }
}

/** The client of Redis reads the database from the path or from `db`, and does not check it. */
function hasDatabaseNumber({ pathname, searchParams }: URL): boolean {
  return /^(?:\/\d*)?$/.test(pathname) && searchParams.getAll('db').every((db) => /^\d+$/.test(db));
}

function wrong(problem: string, hint = "Use 'sqlite:<file>' on one machine."): { kind: 'wrong'; finding: Finding } {
  return { kind: 'wrong', finding: configFinding('AGS001', 'tasks', `tasks ${problem}; it must be ${kinds}`, hint) };
}

const kinds = "'memory:', 'sqlite:<file>', 'redis://<host>' or 'postgres://<host>/<database>'";
const notEncoded = wrong('has a % that stands for itself', 'Write %25 for %.');
