import { realpathSync } from 'node:fs';
import { basename, extname, isAbsolute, relative } from 'node:path';
import { refused, type Step } from '../../output/command-result.ts';

const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/**
 * A file of the project as a `data:` URL with its type and name, for an input `file()`. Files elsewhere are refused: whoever
 * writes the command, such as an agent, could send any of them to an API.
 */
export function fileArgument(key: string, { path, bytes }: { path: string; bytes: Buffer }): Step<{ value: string }> {
  const inside = relative(realpathSync('.'), realpathSync(path));
  if (inside.startsWith('..') || isAbsolute(inside)) {
    const fix = 'Copy it into the folder that you work in, or change to its folder.';
    return refused(`${key}: ${path} is outside of the working directory, so it is not sent.`, fix);
  }
  const type = types[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const name = encodeURIComponent(basename(path));
  return { ok: true, value: `data:${type};name=${name};base64,${bytes.toString('base64')}` };
}
