import { childPath, type Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import type { Header } from '../tool.ts';
import { readPlaceholders } from './placeholders.ts';
import { secretName } from './secret-name.ts';

// RFC 9110, 5.6.2: a header name is a token.
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 9110, 5.5: no control characters but the tab. Line breaks would start another header.
const controls = /(?!\t)\p{Cc}/u;

/** Reads `headers`: names to templates, in which `{{NAME}}` stands for a server parameter (specification 2.1). */
export function readHeaders(
  main: Record<string, unknown>,
  { secrets, report }: { secrets: ReadonlySet<string>; report: Report },
): readonly Header[] {
  if (main.headers === undefined) {
    report(
      schemaFinding('VAL023', 'main.headers', 'main.headers is required', { hint: 'Write {} when there are none.' }),
    );
    return [];
  }
  if (!isObject(main.headers)) {
    report(schemaFinding('VAL023', 'main.headers', 'main.headers must be an object of text', { severity: 'error' }));
    return [];
  }
  return Object.entries(main.headers).flatMap(([name, value]) => {
    const path = childPath('main.headers', name);
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string' || !token.test(name) || controls.test(text)) {
      report(
        schemaFinding('VAL023', path, `header ${JSON.stringify(name)} cannot be sent (${path})`, {
          severity: 'error',
          hint: 'A header has a name without spaces and one line of text.',
        }),
      );
      return [];
    }
    const parts = readPlaceholders(text, { path, report }).map((part) =>
      part.kind === 'text'
        ? part
        : {
            kind: 'secret' as const,
            name: secretName(part.name, { secrets, path, place: `header ${JSON.stringify(name)}`, report }),
          },
    );
    return [{ name, value: parts }];
  });
}
