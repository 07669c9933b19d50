import { childPath } from '../finding.ts';
import { describeGiven, quote } from '../input/describe-input.ts';
import { type Fields, isObject } from '../json.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import type { Header } from '../schema.ts';
import type { Template } from '../template.ts';
import { parseSecretTemplate } from './placeholders.ts';

export interface Root {
  text: string;
  template: Template;
}

/**
 * What needs a root: tools that send the planned request, tools whose hooks may change it first, only handlers, or nothing. `unknown` for
 * an incomplete schema.
 */
export type RootNeed = 'requests' | 'hooks' | 'handlers' | 'nothing' | 'unknown';

/** Parses `root`; optional, or `local://…`, where no tool needs HTTP. A hook may fill in host labels such as `--name--`. */
export function parseRoot(
  main: Record<string, unknown>,
  { secrets, need, report }: { secrets: ReadonlySet<string>; need: RootNeed; report: RuleReport },
): Root {
  const text = typeof main.root === 'string' ? main.root.trim() : '';
  if (text === '') {
    reportNoRoot(main.root, need, report);
    return { text: '', template: [] };
  }
  if (!text.startsWith('local://')) checkUrl(text, need, report);
  // Paths start with a slash.
  const place = { secrets, path: 'main.root', place: 'main.root', report };
  return { text, template: parseSecretTemplate(withoutEndSlashes(text), place) };
}

function reportNoRoot(root: unknown, need: RootNeed, report: RuleReport): void {
  const isOther = root !== undefined && typeof root !== 'string';
  if (need === 'nothing' && !isOther) return;
  // Existing schemas have an empty root if handlers build all URLs.
  const isError = (need === 'requests' || need === 'hooks') && root !== '';
  const severity = isError ? 'error' : need === 'unknown' && !isOther ? 'info' : 'warning';
  const local = 'Handlers send all requests of this schema: write "local://<name>".';
  const hint = isOther ? `Got ${describeGiven(root)}. ${urlHint}` : need === 'handlers' ? local : urlHint;
  report('VAL015', 'main.root', `main.root ${isOther ? 'must be text' : 'is required'}`, { severity, hint });
}

const urlHint = 'Write the base URL of the API, such as "https://api.example.com/v1".';

/** Not a regular expression: `/\/+$/` takes quadratic time on a text full of slashes. */
function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

function checkUrl(text: string, need: RootNeed, report: RuleReport): void {
  const probe = text.replace(/\{\{[^{}]*\}\}/g, 'x');
  const url = /^https?:\/\//i.test(text) ? URL.parse(probe) : null;
  if (url === null) {
    const hint = 'Calls that need HTTP will fail. Write "https://" and the host of the API.';
    // A URL without slashes, `https:api.example.com`, can be requested.
    const isUsable = /^https?:$/.test(URL.parse(probe)?.protocol ?? '');
    const severity = need === 'requests' && !isUsable ? 'error' : 'warning';
    report('VAL019', 'main.root', `main.root is not an http(s) URL: ${quote(text)}`, { severity, hint });
    return;
  }
  const { username, password, hash } = url;
  if (username !== '' || password !== '') {
    report('VAL019', 'main.root', 'main.root contains credentials', {
      // No request is made with it.
      severity: need === 'requests' || need === 'hooks' ? 'error' : 'warning',
      hint: 'Anyone with the file can read them. Send a header with a server parameter, such as { Authorization: "Basic {{LOGIN}}" }.',
    });
  }
  if (hash !== '' || text.endsWith('#')) {
    const hint = 'Remove the "#" and everything after it.';
    report('VAL019', 'main.root', 'main.root has a fragment, which hides the path of every tool', hint);
  }
  reportUnencrypted(url, { path: 'main.root', report });
  if (text.endsWith('/')) {
    report('VAL019', 'main.root', 'main.root ends with a slash', 'Remove it: each path starts with a slash.');
  }
}

/** Reports an address to which requests are sent unencrypted, but for one of this machine. */
export function reportUnencrypted({ protocol, hostname }: URL, { path, report }: Place): void {
  if (protocol !== 'http:' || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return;
  const hint = 'Use https if the API supports it.';
  report('VAL019', path, `${path} is http: requests and secrets are sent unencrypted`, hint);
}

/** RFC 9110, 5.6.2: a header name is a token. */
export const headerName: RegExp = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 9110, 5.5: no control characters but the tab. Line breaks would start another header.
export const controls: RegExp = /(?!\t)\p{Cc}/u;

/** Parses `headers`: `{{NAME}}` in a value is a server parameter. */
export function parseHeaders(
  main: Record<string, unknown>,
  { secrets, report }: { secrets: ReadonlySet<string>; report: RuleReport },
): readonly Header[] {
  if (main.headers === undefined) {
    report('VAL023', 'main.headers', 'main.headers is required', 'Write {} when there are none.');
    return [];
  }
  if (!isObject(main.headers)) {
    report('VAL023', 'main.headers', 'main.headers must be an object of text', { severity: 'error' });
    return [];
  }
  return headersOf(main.headers, { path: 'main.headers', secrets, report });
}

const headersHint = "Write headers: { 'X-Name': 'value' }.";

/** The headers of a tool over those of `main`: names in any case, and `null` leaves one out. */
export function parseToolHeaders(
  value: unknown,
  { path, headers, secrets, report }: Place & { headers: readonly Header[]; secrets: ReadonlySet<string> },
): readonly Header[] {
  if (value === undefined) return headers;
  const place = `${path}.headers`;
  if (!isObject(value)) {
    report('VAL023', place, `headers of a tool must be an object of text; ignored (${path})`, headersHint);
    return headers;
  }
  const own = headersOf(Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null)), {
    path: place,
    secrets,
    report,
  });
  const names = new Set(Object.keys(value).map((name) => name.toLowerCase()));
  return [...headers.filter(({ name }) => !names.has(name.toLowerCase())), ...own];
}

function headersOf(
  value: Fields,
  { path: parent, secrets, report }: Place & { secrets: ReadonlySet<string> },
): readonly Header[] {
  return Object.entries(value).flatMap(([name, value]) => {
    const path = childPath(parent, name);
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string' || !headerName.test(name) || controls.test(text)) {
      report('VAL023', path, `header ${JSON.stringify(name)} cannot be sent (${path})`, {
        severity: 'error',
        hint: 'Write a name without spaces and a single line of text.',
      });
      return [];
    }
    const place = { secrets, path, place: `header ${JSON.stringify(name)}`, report };
    return [{ name, value: parseSecretTemplate(text, place) }];
  });
}
