import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { splitPlaceholders, type Template } from '../template.ts';
import { secretName } from './secret-name.ts';

/** The base URL as it was written and as the parts that a request plan puts together. */
export interface Root {
  text: string;
  template: Template;
}

/**
 * Reads `root` (specification 2.1). A schema whose tools need no HTTP may leave it out or write `local://…`;
 * `https://--name--.example.com` leaves a host label to a `preRequest` hook.
 */
export function readRoot(
  main: Record<string, unknown>,
  { secrets, hasTools, report }: { secrets: ReadonlySet<string>; hasTools: boolean; report: Report },
): Root {
  const text = typeof main.root === 'string' ? main.root.trim() : '';
  if (text === '') {
    const hint = 'Write the base URL of the API, such as "https://api.example.com/v1".';
    const severity = hasTools ? (main.root === '' ? 'warning' : 'error') : 'info';
    report(schemaFinding('VAL015', 'main.root', 'main.root is required', { severity, hint }));
    return { text: '', template: [] };
  }
  if (!text.startsWith('local://')) checkUrl(text, report);
  // Each path starts with the slash that a root may end with.
  const template: Template = splitPlaceholders(text.replace(/\/+$/, '')).map((part) => {
    if (part.kind === 'text') return part;
    const name = secretName(part.name, { secrets, path: 'main.root', place: 'main.root', report });
    return { kind: 'secret', name };
  });
  return { text, template };
}

function checkUrl(text: string, report: Report): void {
  const probe = text.replace(/\{\{[^{}]*\}\}/g, 'x');
  if (!/^https?:\/\//i.test(text) || !URL.canParse(probe)) {
    report(
      schemaFinding('VAL019', 'main.root', `main.root is not an http(s) URL: ${JSON.stringify(text)}`, {
        hint: 'Calls that need HTTP will fail. Write "https://" and the host of the API.',
      }),
    );
    return;
  }
  const { protocol, hostname } = new URL(probe);
  const isLoopback = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isLoopback) {
    report(
      schemaFinding('VAL019', 'main.root', 'main.root is http: requests and secrets travel unencrypted', {
        hint: 'Use https if the API offers it.',
      }),
    );
  }
  if (text.endsWith('/')) {
    report(
      schemaFinding('VAL019', 'main.root', 'main.root ends with a slash', {
        hint: 'Leave it out: each path starts with one.',
      }),
    );
  }
}
