/** What the head of a page says. Texts are as they were sent, with references decoded. */
export interface PageHead {
  title: string | null;
  /** Of `<html lang>`. */
  language: string | null;
  /** `<meta>` by `name` or `property`, in lower case; the first of each. */
  meta: ReadonlyMap<string, string>;
  /** `<link>` by `rel`; the first of each. */
  links: ReadonlyMap<string, string>;
}

const MAX_VALUE = 2000;
const MAX_TAGS = 2000;

/** Elements whose content is text, not tags. */
const RAW: ReadonlySet<string> = new Set(['title', 'script', 'style', 'noscript', 'template', 'textarea']);

/** Elements that can only be in a body. */
const BODY: ReadonlySet<string> = new Set(['body', 'main', 'div', 'p', 'h1', 'svg', 'table', 'form', 'iframe']);

/** A quote that is not closed goes to the end, as in browsers, so that no text is read twice. */
const ATTRIBUTE =
  /[\s/]*(?<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?<double>[^"]*)"?|'(?<single>[^']*)'?|(?<bare>[^\s"'=<>`]+)))?/gy;

const TAG = /<(?<end>\/?)(?<name>[a-z][a-z0-9-]{0,30})(?=[\s/>])/giy;

/** Reads the head of a page by scanning it once up to its body. Executes nothing; any text is fine. */
export function readHead(html: string): PageHead {
  const meta = new Map<string, string>();
  const links = new Map<string, string>();
  let title: string | null = null;
  let language: string | null = null;
  for (let at = html.indexOf('<'), tags = 0; at >= 0 && tags < MAX_TAGS; at = html.indexOf('<', at), tags++) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4);
      if (end < 0) break;
      at = end;
      continue;
    }
    TAG.lastIndex = at;
    const { end: isEnd, name = '' } = TAG.exec(html)?.groups ?? {};
    const element = name.toLowerCase();
    if (BODY.has(element) || (isEnd && element === 'head')) break;
    if (element === '' || isEnd) {
      at++;
      continue;
    }
    const { values, end } = readAttributes(html, at + 1 + name.length);
    at = end;
    if (RAW.has(element)) {
      const close = closingTag(html, element, end);
      if (element === 'title') title ??= decode(html.slice(html.indexOf('>', end) + 1, close));
      at = close;
    } else if (element === 'html') language ??= values.get('lang') ?? null;
    else if (element === 'meta') keep(meta, values.get('property') ?? values.get('name'), values.get('content'));
    else if (element === 'link') keep(links, values.get('rel'), values.get('href'));
  }
  return { title, language, meta, links };
}

function keep(map: Map<string, string>, key: string | undefined, value: string | undefined): void {
  const name = key?.trim().toLowerCase();
  if (name !== undefined && value !== undefined && !map.has(name)) map.set(name, value);
}

function readAttributes(html: string, from: number): { values: Map<string, string>; end: number } {
  const values = new Map<string, string>();
  let end = from;
  for (ATTRIBUTE.lastIndex = from; ; end = ATTRIBUTE.lastIndex) {
    const { groups } = ATTRIBUTE.exec(html) ?? {};
    if (groups === undefined || values.size > 100) return { values, end };
    keep(values, groups.name, decode(groups.double ?? groups.single ?? groups.bare ?? ''));
  }
}

function closingTag(html: string, element: string, from: number): number {
  const closing = new RegExp(`</${element}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  middot: '·',
  hellip: '…',
  laquo: '«',
  raquo: '»',
  rsquo: '’',
  copy: '©',
  reg: '®',
  trade: '™',
};

/** Decodes numeric references, and the named ones that titles use. */
function decode(text: string): string {
  return text
    .slice(0, MAX_VALUE)
    .replaceAll(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
      (found, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return NAMED[name.toLowerCase()] ?? found;
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return code <= 0x10_ffff ? String.fromCodePoint(code) : found;
      },
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
