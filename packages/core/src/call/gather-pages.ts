import type { Finding } from '../schema/finding.ts';
import { isObject, type JsonValue } from '../schema/json.ts';
import type { Pagination, Tool } from '../schema/schema.ts';
import { callFinding } from './call-findings.ts';
import type { RequestPlan } from './plan-request.ts';
import { encodeQueryText } from './request/query-text.ts';

/** What a call of a tool with `pagination` has read. */
export interface PagesRead {
  pages: number;
  items: number;
  /** Why the rest was not read; absent if there is none. */
  stopped?: string;
  /** The value of the parameter with which another call goes on, if callers can pass it. */
  next?: string | number;
  /** The code of the finding of a page that failed, which another call may get. */
  failed?: string;
  /** Where the first page has lists, if it has none at `items`, or several and no `items` says which. Then its items are not counted. */
  lists?: string[];
}

/** A page as it arrived. */
export interface Page {
  data: unknown;
  /** The URL that links in it are relative to. */
  url: string;
  /** The header `Link`. */
  link: string | undefined;
  byteLength: number;
}

export type FetchPage = (
  plan: RequestPlan,
  limits: { maxBytes: number; timeoutMs: number },
) => Promise<{ ok: true; page: Page } | { ok: false; findings: Finding[] }>;

interface Gathering {
  tool: Tool;
  pagination: Pagination;
  /** The request of the first page. */
  plan: RequestPlan;
  /** Only links to this origin are followed. */
  origin: string | undefined;
  /** For all pages together, in milliseconds from `startedAt` (`performance.now()`). */
  timeoutMs: number;
  startedAt: number;
  fetchPage: FetchPage;
}

/** For all pages together, as for the answer of a call. */
const maxBytes = 10 * 1024 * 1024;

/** Reads the pages after the first, and puts all items in place of those of the first (docs/format.md, "`pagination`"). */
export async function gatherPages(
  first: Page,
  { tool, pagination, plan, origin, timeoutMs, startedAt, fetchPage }: Gathering,
): Promise<{ ok: true; data: unknown; read: PagesRead } | { ok: false; findings: Finding[] }> {
  // Some APIs answer nothing at all where there are no items.
  if (first.data === null) return { ok: true, data: null, read: { pages: 1, items: 0 } };
  const lists = listsIn(first.data);
  const members = lists.filter(({ length }) => length < 2);
  const place = pagination.items ?? (members.length === 1 ? members[0] : undefined);
  let items = place && listAt(first.data, place);
  if (place === undefined || items === undefined) {
    const count = members.length === 0 ? 'no list' : 'several lists';
    const stopped = pagination.items
      ? `it has no list at ${textOf(pagination.items) || 'its root'}`
      : `it has ${count} to gather`;
    return { ok: true, data: first.data, read: { pages: 1, items: 0, stopped, lists: lists.map(textOf) } };
  }
  const all = [...items];
  const seen = new Set([JSON.stringify(items)]);
  let [page, count, bytes] = [first, 1, first.byteLength];
  const stop = (stopped?: string, more: Partial<PagesRead> = {}) => {
    const read = { pages: count, items: all.length, ...(stopped !== undefined && { stopped }), ...more };
    return { ok: true as const, data: withItems(first.data, place, all), read };
  };
  for (;;) {
    const next = nextRequest(page, { plan, pagination, origin, count, items, total: all.length, tool });
    if (next === undefined) return stop();
    if ('problem' in next) return stop(next.problem);
    if (next.key !== undefined && seen.has(next.key)) return stop('the API repeats a page');
    if (next.key !== undefined) seen.add(next.key);
    const { value } = next;
    const goOn =
      value !== undefined && tool.inputs.some(({ name }) => name === pagination.parameter) ? { next: value } : {};
    if (count >= pagination.maxPages) return stop(`a call reads at most ${count} page${count === 1 ? '' : 's'}`, goOn);
    const leftMs = timeoutMs - (performance.now() - startedAt);
    if (leftMs < 1) return stop('the time for the call is over', goOn);
    const fetched = await fetchPage(next.plan, { maxBytes: maxBytes - bytes, timeoutMs: leftMs });
    if (!fetched.ok) {
      const [{ code, message } = { code: '', message: '' }] = fetched.findings;
      if (code === 'ABORTED') return fetched;
      return stop(`page ${count + 1} failed: ${message}`, { ...goOn, failed: code });
    }
    page = fetched.page;
    items = listAt(page.data, place) ?? [];
    const text = JSON.stringify(items);
    if (items.length > 0 && seen.has(text)) return stop('the API repeats a page');
    seen.add(text);
    for (const item of items) all.push(item);
    bytes += page.byteLength;
    count += 1;
  }
}

/** The warning for pages that were not read. */
export function pagesFinding({ pages, items, stopped, next, lists }: PagesRead, { name, pagination }: Tool): Finding[] {
  if (stopped === undefined) return [];
  if (lists !== undefined) {
    const message = `Only the first page was read, since ${stopped}`;
    const known = lists.length === 0 ? '' : `: ${lists.map((list) => JSON.stringify(list)).join(' or ')}`;
    const hint = `Write where a page has its list as items in pagination of ${name}${known}.`;
    return [callFinding('PAGES_LEFT', message, { severity: 'warning', hint })];
  }
  const read = `${pages} page${pages === 1 ? '' : 's'} with ${items} item${items === 1 ? '' : 's'}`;
  const message = `The answer has ${read}, and there may be more: ${stopped}`;
  const hint =
    next === undefined
      ? 'Narrow the call, for example with a filter.'
      : `Go on with ${pagination?.parameter}: ${next}.`;
  return [callFinding('PAGES_LEFT', message, { severity: 'warning', hint })];
}

type Next = { plan: RequestPlan; value?: string | number; key?: string } | { problem: string } | undefined;

/** The request of the next page; undefined after the last. `key` is the same if the API leads in a circle. */
function nextRequest(
  page: Page,
  {
    plan,
    pagination,
    origin,
    count,
    items,
    total,
    tool,
  }: Pick<Gathering, 'plan' | 'pagination' | 'origin' | 'tool'> & { count: number; items: unknown[]; total: number },
): Next {
  const { style, parameter, start, sizeParameter } = pagination;
  if (style === 'link') return linkedRequest(page, { plan, pagination, origin, tool });
  if (style === 'cursor') {
    const cursor = valueAt(page.data, pagination.next ?? []);
    if ((typeof cursor !== 'string' && typeof cursor !== 'number') || cursor === '') return undefined;
    return { plan: withParameter(plan, tool, parameter, cursor), value: cursor, key: `cursor ${cursor}` };
  }
  const size = sizeParameter === undefined ? undefined : numberIn(plan, tool, sizeParameter);
  if (items.length === 0 || (size !== undefined && items.length < size)) return undefined;
  const value = (numberIn(plan, tool, parameter) ?? start) + (style === 'page' ? count : total);
  return { plan: withParameter(plan, tool, parameter, value), value };
}

function linkedRequest(
  page: Page,
  { plan, pagination: { next }, origin, tool }: Pick<Gathering, 'plan' | 'pagination' | 'origin' | 'tool'>,
): Next {
  const given = next === undefined ? nextLink(page.link) : valueAt(page.data, next);
  if (typeof given !== 'string' || given === '') return undefined;
  const url = URL.parse(given, page.url);
  if (url === null) return { problem: 'the link to the next page is not a URL' };
  const own = URL.parse(page.url);
  // Behind a proxy, many APIs write http in their links.
  if (own?.protocol === 'https:' && url.protocol === 'http:' && url.host === own.host) url.protocol = 'https:';
  if (origin === undefined || url.origin !== origin || url.username !== '' || url.password !== '') {
    const place = url.origin === 'null' ? url.protocol : url.origin;
    return { problem: `the link to the next page leads to ${place}, which is not the origin of the tool` };
  }
  // A redirect took the secrets away, and a link back must not bring them again.
  if (own?.origin !== origin)
    return { problem: `the link to the next page comes from ${own?.origin}, after a redirect` };
  url.hash = '';
  const secrets = secretPairs(plan, tool).filter((pair) => !url.searchParams.has(nameOf(pair) ?? ''));
  const href = secrets.length === 0 ? url.href : `${url.href}${url.search === '' ? '?' : '&'}${secrets.join('&')}`;
  return { plan: { ...plan, url: href }, key: `link ${url.href}` };
}

/** Many APIs leave the key of the caller out of their links. */
function secretPairs({ url }: RequestPlan, { placements }: Tool): string[] {
  const secret = placements.filter(
    ({ location, value }) => location === 'query' && value.some(({ kind }) => kind === 'secret'),
  );
  return pairsOf(url).filter((pair) => secret.some(({ key }) => key === nameOf(pair)));
}

/** The target of `rel="next"` in the header `Link` (RFC 8288). */
function nextLink(header = ''): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>((?:[^<"]|"[^"]*")*)/g)) {
    const [, quoted, word] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    if ((quoted ?? word ?? '').toLowerCase().split(/\s+/).includes('next')) return target;
  }
  return undefined;
}

function listAt(data: unknown, keys: readonly string[]): unknown[] | undefined {
  const value = valueAt(data, keys);
  return Array.isArray(value) ? value : undefined;
}

/** Where a page has lists: it itself, its members, and theirs. */
function listsIn(data: unknown, depth = 2): string[][] {
  if (Array.isArray(data)) return [[]];
  if (!isObject(data) || depth === 0) return [];
  return Object.entries(data).flatMap(([key, value]) => listsIn(value, depth - 1).map((keys) => [key, ...keys]));
}

function textOf(keys: readonly string[]): string {
  return keys.join('.');
}

function valueAt(data: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = stepsIn(data, keys);
  if (key === undefined) return data;
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, key)) return undefined;
  return valueAt((data as Record<string, unknown>)[key], rest);
}

/** The keys, or the one that they are together: some names have dots, such as `@odata.nextLink`. */
function stepsIn(data: unknown, keys: readonly string[]): readonly string[] {
  const whole = textOf(keys);
  return keys.length > 1 && isObject(data) && Object.hasOwn(data, whole) ? [whole] : keys;
}

function withItems(data: unknown, keys: readonly string[], items: unknown[]): unknown {
  const [key, ...rest] = stepsIn(data, keys);
  if (key === undefined || !isObject(data)) return items;
  return { ...data, [key]: withItems(data[key], rest, items) };
}

function isInBody({ placements }: Tool, parameter: string): boolean {
  return placements.some(({ key, location }) => key === parameter && location === 'body');
}

/** The request with another value of a parameter, in the body if a body parameter has this key, else in the query. */
function withParameter(plan: RequestPlan, tool: Tool, parameter: string, value: string | number): RequestPlan {
  const { body } = plan;
  if (isInBody(tool, parameter) && isObject(body)) {
    return { ...plan, body: { ...(body as Record<string, JsonValue>), [parameter]: value } };
  }
  const others = pairsOf(plan.url).filter((pair) => nameOf(pair) !== parameter);
  const [base = ''] = plan.url.split('?', 1);
  const pair = `${encodeQueryText(parameter)}=${encodeQueryText(String(value))}`;
  return { ...plan, url: `${base}?${[...others, pair].join('&')}` };
}

function numberIn({ url, body }: RequestPlan, tool: Tool, parameter: string): number | undefined {
  const inBody = isInBody(tool, parameter) && isObject(body) ? body[parameter] : undefined;
  const pair = pairsOf(url).findLast((one) => nameOf(one) === parameter);
  const value = inBody ?? (pair === undefined ? undefined : new URLSearchParams(pair).get(parameter));
  return value !== undefined && value !== '' && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function pairsOf(url: string): string[] {
  const [, query = ''] = /^[^?]*\?([^#]*)/.exec(url) ?? [];
  return query.split('&').filter((pair) => pair !== '');
}

function nameOf(pair: string): string | undefined {
  return new URLSearchParams(pair).keys().next().value;
}
