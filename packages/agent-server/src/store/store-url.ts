import { resolve } from 'node:path';
import type { Finding } from '@schemakit/core';
import { configFinding } from '../manifest/config-codes.ts';

/** The file of a `sqlite:` URL, none for `memory:`, or what is wrong with it. No message quotes the URL, which may have a password. */
export function parseStoreUrl(url: string): { file?: string; finding?: Finding } {
  if (url === 'memory:') return {};
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]+):(.*)$/is.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite': {
      if (rest === ':memory:') return wrong('cannot be sqlite::memory:', "Use 'memory:'.");
      // As in file URLs: a host, which is empty, stands between `//` and the path, and a drive of Windows after its slash.
      const [, host, path = rest] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
      if (host !== undefined && host !== '')
        return wrong('has a host before the file', "Write 'sqlite:folder/runs.db' or 'sqlite:///folder/runs.db'.");
      if (path === '' || path === '/') return wrong('names no file', "Write 'sqlite:runs.db', for example.");
      return { file: resolve(path.replace(/^\/(?=[a-z]:[\\/])/i, '')) };
    }
    case 'redis':
    case 'rediss':
    case 'postgres':
    case 'postgresql':
      return wrong(`cannot be a ${scheme}: URL yet: that comes in a later version`);
    default:
      return wrong(scheme === '' ? 'is not a URL' : `cannot be a ${scheme}: URL`);
  }
}

function wrong(problem: string, hint = "Use 'memory:' or 'sqlite:<file>'."): { finding: Finding } {
  return {
    finding: configFinding('AGS001', 'tasks', `tasks ${problem}; it must be 'memory:' or 'sqlite:<file>'`, hint),
  };
}
