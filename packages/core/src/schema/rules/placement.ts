import type { Fields } from '../json.ts';
import type { Place } from '../rule-report.ts';
import type { Placement, Style } from '../schema.ts';
import { headerName } from './root.ts';

type Location = Placement['location'] | 'template';

/** The styles of each location; the first is the default if only `explode` is given (OpenAPI 3.1, "Style Values"). */
const styles: Readonly<Record<Location, readonly Style['name'][]>> = {
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  insert: ['simple', 'label', 'matrix'],
  header: ['simple'],
  cookie: ['form'],
  template: [],
};

/** Parses `position.style` and `position.explode`. What does not fit is reported, and left out. */
export function parseStyle(
  { style: name, explode }: Fields,
  { location, path, report }: Place & { location: Location },
): Style | undefined {
  if (name === undefined && explode === undefined) return undefined;
  const known = styles[location];
  const style = name === undefined ? known[0] : known.find((one) => one === name);
  if (style === undefined) {
    const message = `position.style must be ${known.join(', ') || 'left out'} for the location ${location}; ignored (${path})`;
    const [first] = known;
    const hint =
      first && `Write style: '${first}', or leave it out: a list is then sent with commas between its items.`;
    report('VAL080', `${path}.position.style`, message, hint);
  }
  const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
  const fits = explode === undefined || (typeof explode === 'boolean' && !(isDelimited && explode));
  if (!fits) {
    const hint = `Write explode: ${isDelimited ? 'false' : 'true or explode: false'}, without quotes, or leave it out.`;
    const expected = isDelimited ? `false with the style ${style}` : 'true or false';
    report('VAL080', `${path}.position.explode`, `position.explode must be ${expected}; ignored (${path})`, hint);
  }
  if (style === undefined) return undefined;
  const pairs = style === 'form' || style === 'deepObject';
  return { name: style, explode: fits && typeof explode === 'boolean' ? explode : pairs };
}

/** These belong to the connection and the body (RFC 9110, RFC 9112): requests never send them as written. */
export const ownHeaders: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'keep-alive', 'te', 'trailer', 'expect'],
  ...['proxy-connection', 'content-encoding', 'cookie'],
]);

/** Reports a key that cannot be the name of a header or a cookie. */
export function reportUnusableName(key: string, { location, path, report }: Place & { location: Location }): void {
  if (location !== 'header' && location !== 'cookie') return;
  const place = `${path}.position.key`;
  if (!headerName.test(key)) {
    const hint = 'Use letters, digits and hyphens.';
    report('VAL081', place, `${JSON.stringify(key)} cannot be the name of a ${location} (${path})`, hint);
  } else if (location === 'header' && ownHeaders.has(key.toLowerCase())) {
    const hint =
      key.toLowerCase() === 'cookie' ? 'Use the location cookie.' : 'The HTTP client sets it; remove the parameter.';
    report('VAL081', place, `a parameter cannot set the header ${key} (${path})`, hint);
  }
}

/** Whether servers may read one name as the other or as a part of it: to many, `kept[]` and `[kept]` are `kept`, and `Kept` to some. */
export function areOneName(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((name) =>
    name
      .toLowerCase()
      .split(/[[\]]+/)
      .filter((part) => part !== ''),
  );
  const common = Math.min(left.length, right.length);
  return common > 0 && left.slice(0, common).join('[') === right.slice(0, common).join('[');
}
