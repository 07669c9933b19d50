import { unquote } from './call-syntax.ts';
import type { Report } from './finding.ts';
import { compilePattern } from './pattern.ts';
import { zFinding } from './z-finding.ts';
import type { Option } from './z-options.ts';

/**
 * The pattern of `regex(...)`, without slashes; undefined, with a warning (VAL045), when the engine cannot run it: a tool
 * that worked without the check is worth more than none.
 */
export function readPattern({ args, path }: Option, report: Report): string | undefined {
  const written = withoutSlashes(args);
  // `\\d` in the text is a backslash and a `d`, which no value has: the author escaped twice.
  const pattern = /\\\\[dDwWsSbB.]/.test(written) ? written.replaceAll('\\\\', '\\') : written;
  if (pattern !== written) {
    report(zFinding('VAL045', path, `doubled backslashes in regex() are read as single ones, ${pattern}`));
  }
  const compiled = compilePattern(pattern);
  if ('matches' in compiled) return pattern;
  report(zFinding('VAL045', path, `the pattern ${compiled.problem}; values are not checked against it`));
  return undefined;
}

/** `/^a$/i` becomes `(?i)^a$`. Flags that do not change what matches are dropped. */
function withoutSlashes(text: string): string {
  const [, source, flags = ''] = /^\/([\s\S]*)\/([dgimsuvy]*)$/.exec(text) ?? [];
  if (source === undefined) return unquote(text);
  const kept = [...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join('');
  return kept === '' ? source : `(?${kept})${source}`;
}
