import type { Place } from '../rule-report.ts';
import type { Input } from '../schema.ts';
import type { Template, TemplatePart } from '../template.ts';
import type { Parameters } from './parameters.ts';
import { isServerParam, parsePlaceholders, secretName } from './placeholders.ts';

/** Servers accept no longer paths. */
const maxLength = 10_000;

interface PathContext extends Place {
  secrets: ReadonlySet<string>;
  parameters: Parameters;
}

export interface Route {
  template: Template;
  inputs: readonly Input[];
}

/** Parses `path`: `{{key}}` and `:key` are insert parameters, `{{NAME}}` is a server parameter. A colon before other words is text. */
export function parsePath(value: unknown, { path, secrets, parameters, report }: PathContext): Route {
  const place = `${path}.path`;
  if (typeof value !== 'string') {
    report('VAL033', place, `path must be text (${path})`, "Write path: '/thing/{{id}}'.");
    return { template: [], inputs: [] };
  }
  if (value.length > maxLength) {
    const message = `path has ${value.length} characters; the maximum is ${maxLength} (${path})`;
    report('VAL033', place, message, 'Pass long values as parameters.');
    return { template: [], inputs: [] };
  }
  if (value === '') {
    report('VAL033', place, `path is empty: requests go to the root itself (${path})`, {
      severity: 'warning',
      hint: 'Write "/" or the path that the API documents.',
    });
  } else if (!value.startsWith('/')) {
    report('VAL033', place, `path must start with a slash (${path})`, `Write ${JSON.stringify(`/${value}`)}.`);
  }
  const inserts = parameters.placements.filter(({ location }) => location === 'insert').map(({ key }) => key);
  reportStrayColons(value, { inserts, path, parameters, report });
  const inputs: Input[] = [];
  const template = parsePlaceholders(value, { path: place, report }).flatMap((part): Template => {
    if (part.kind === 'text') return splitColonKeys(part.text, inserts);
    if (inserts.includes(part.name)) return [{ kind: 'insert', key: part.name }];
    if (part.name === 'USER_PARAM' && inserts.length === 1) return [{ kind: 'insert', key: inserts[0] ?? '' }];
    if (isServerParam(part.name, secrets)) {
      const context = { secrets, path: place, place: 'the path', owner: path, report };
      return [{ kind: 'secret', name: secretName(part.name, context) }];
    }
    return [inputForPlaceholder(part.name, { path, parameters, inputs, report })];
  });
  reportAbsentValues(template, { path, parameters, report });
  return { template, inputs };
}

/** Reports segments such as `:id` without a parameter. A colon inside a segment, as in `/claims:search`, is text. */
function reportStrayColons(
  route: string,
  { inserts, path, parameters, report }: Omit<PathContext, 'secrets'> & { inserts: readonly string[] },
): void {
  if (!route.includes(':')) return;
  const [segments = ''] = route.split('?', 1);
  for (const segment of segments.split('/')) {
    const key = /^:([A-Za-z_]\w*)$/.exec(segment)?.[1];
    if (key === undefined || inserts.includes(key)) continue;
    const other = parameters.placements.find((placement) => placement.key === key)?.location;
    const hint =
      other === undefined
        ? `Declare a parameter with the key ${JSON.stringify(key)} and the location insert.`
        : `The parameter ${JSON.stringify(key)} has the location ${other}; write insert.`;
    report('VAL051', `${path}.path`, `no parameter fills :${key} in the path; it is sent unchanged (${path})`, hint);
  }
}

/** Without its value, the whole segment is removed, which few APIs expect. */
function reportAbsentValues(template: Template, { path, parameters, report }: Omit<PathContext, 'secrets'>): void {
  for (const [index, part] of template.entries()) {
    if (part.kind !== 'insert') continue;
    const placement = parameters.placements.find(({ key, location }) => key === part.key && location === 'insert');
    if (placement === undefined || !mayBeAbsent(placement.value, parameters.inputs)) continue;
    const sent = JSON.stringify(routeWithout(template, index));
    const message = `without a value for ${JSON.stringify(part.key)} the path is ${sent} (${path})`;
    const hint =
      'Give the parameter a default(…), or leave out optional() and describe the other request as a tool of its own.';
    report('VAL058', `${path}.path`, message, hint);
  }
}

function mayBeAbsent(value: Template, inputs: readonly Input[]): boolean {
  return value.some((part) => {
    const z = part.kind === 'input' ? inputs.find(({ name }) => name === part.name)?.z : undefined;
    return z?.optional === true && z.default === undefined;
  });
}

/** The path that is sent without one of its values: its segment is removed. */
function routeWithout(template: Template, absent: number): string {
  const parts = template.map(written);
  const [before, after] = [parts.slice(0, absent).join(''), parts.slice(absent + 1).join('')];
  const isSegment = before.endsWith('/') && !before.includes('?') && (after === '' || /^[/?]/.test(after));
  return `${isSegment ? before.slice(0, -1) : before}${after}`;
}

function written(part: TemplatePart): string {
  if (part.kind === 'text') return part.text;
  return `{{${part.kind === 'insert' ? part.key : part.name}}}`;
}

/** Splits text at `:key` for the declared keys, longest first, unless a longer word continues. */
function splitColonKeys(text: string, keys: readonly string[]): Template {
  const byLength = [...keys].sort((left, right) => right.length - left.length);
  const parts: TemplatePart[] = [];
  let start = 0;
  const addText = (end: number) => {
    if (end > start) parts.push({ kind: 'text', text: text.slice(start, end) });
  };
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', Math.max(colon + 1, start))) {
    const isHere = (key: string) =>
      text.startsWith(key, colon + 1) && !/[A-Za-z0-9_]/.test(text.charAt(colon + 1 + key.length));
    const key = byLength.find(isHere);
    if (key === undefined) continue;
    addText(colon);
    parts.push({ kind: 'insert', key });
    start = colon + 1 + key.length;
  }
  addText(text.length);
  return parts;
}

function inputForPlaceholder(
  name: string,
  { path, parameters, inputs, report }: Omit<PathContext, 'secrets'> & { inputs: Input[] },
): TemplatePart {
  if (![...parameters.inputs, ...inputs].some((input) => input.name === name)) {
    const message = `no parameter fills {{${name}}} in the path, so callers must give it (${path})`;
    const hint = 'Declare an insert parameter with this key, or the name in main.requiredServerParams.';
    report('VAL051', `${path}.path`, message, hint);
    inputs.push({ name, aliases: [], z: { primitive: 'string', optional: false } });
  }
  return { kind: 'input', name };
}
