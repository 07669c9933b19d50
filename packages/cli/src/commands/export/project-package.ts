import { readFileSync } from 'node:fs';
import { isRecord } from '../../settings/parse-json.ts';

/** What package.json of the working directory says about a server. */
export interface ProjectPackage {
  name?: string;
  version?: string;
  license?: string;
  author?: string;
  /** The name of the server in the MCP registry, which checks it. */
  mcpName?: string;
}

export function projectPackage(): ProjectPackage {
  try {
    const manifest: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
    if (!isRecord(manifest)) return {};
    const { author } = manifest;
    const name = isRecord(author)
      ? author.name
      : typeof author === 'string'
        ? author.replace(/\s*[<(].*$/, '')
        : undefined;
    const texts = Object.entries({ ...manifest, author: name }).filter(
      ([, value]) => typeof value === 'string' && value !== '',
    );
    return Object.fromEntries(texts);
  } catch {
    return {}; // No package.json, or none that can be read: then there are the defaults.
  }
}
