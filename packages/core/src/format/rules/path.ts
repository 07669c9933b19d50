import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { serverParamName, splitPlaceholders, type Template, type TemplatePart } from '../template.ts';
import type { Input } from '../tool.ts';
import type { Parameters } from './parameters.ts';

interface PathContext {
  /** Path of the tool. */
  path: string;
  secrets: ReadonlySet<string>;
  parameters: Parameters;
  report: Report;
}

/** A path as the parts that a request plan puts together, and the inputs that only the path names. */
export interface Route {
  template: Template;
  inputs: readonly Input[];
}

/**
 * Reads `path` (specification 2.2): `{{key}}` and `:key` stand for insert parameters, `{{NAME}}` for server parameters.
 * A colon before any other word is text, as in `/v1/claims:search`.
 */
export function readPath(value: unknown, { path, secrets, parameters, report }: PathContext): Route {
  const place = `${path}.path`;
  if (typeof value !== 'string') {
    report(schemaFinding('VAL033', place, `path must be text (${path})`, { hint: "Write path: '/thing/{{id}}'." }));
    return { template: [], inputs: [] };
  }
  if (!value.startsWith('/') && value !== '') {
    report(
      schemaFinding('VAL033', place, `path must start with a slash (${path})`, {
        hint: `Write ${JSON.stringify(`/${value}`)}.`,
      }),
    );
  }
  const inserts = parameters.placements.filter(({ location }) => location === 'insert').map(({ key }) => key);
  const inputs: Input[] = [];
  const template = splitPlaceholders(value).flatMap((part): Template => {
    if (part.kind === 'text') return splitColonKeys(part.text, inserts);
    if (inserts.includes(part.name)) return [{ kind: 'insert', key: part.name }];
    if (part.name === 'USER_PARAM' && inserts.length === 1) return [{ kind: 'insert', key: inserts[0] ?? '' }];
    const name = serverParamName(part.name) ?? (secrets.has(part.name) ? part.name : undefined);
    if (name !== undefined) {
      if (!secrets.has(name)) {
        const message = `serverParams not declared: the path uses {{${part.name}}} (${path})`;
        report(
          schemaFinding('VAL027', place, message, {
            hint: `Add ${JSON.stringify(name)} to main.requiredServerParams.`,
          }),
        );
      }
      return [{ kind: 'secret', name }];
    }
    return [inputForPlaceholder(part.name, { path, parameters, inputs, report })];
  });
  return { template, inputs };
}

/** Cuts text at `:key` for the declared keys, longest first, where no letter of a longer word follows. */
function splitColonKeys(text: string, keys: readonly string[]): Template {
  if (keys.length === 0 || !text.includes(':')) return [{ kind: 'text', text }];
  const byLength = [...keys].sort((left, right) => right.length - left.length);
  const parts: TemplatePart[] = [];
  let literal = '';
  for (let index = 0; index < text.length; ) {
    const key = text[index] === ':' ? byLength.find((name) => standsAt(text, index + 1, name)) : undefined;
    if (key === undefined) {
      literal += text[index];
      index += 1;
      continue;
    }
    if (literal !== '') parts.push({ kind: 'text', text: literal });
    literal = '';
    parts.push({ kind: 'insert', key });
    index += key.length + 1;
  }
  if (literal !== '') parts.push({ kind: 'text', text: literal });
  return parts;
}

function standsAt(text: string, index: number, key: string): boolean {
  return text.startsWith(key, index) && !/[A-Za-z0-9_]/.test(text[index + key.length] ?? '');
}

function inputForPlaceholder(
  name: string,
  { path, parameters, inputs, report }: Omit<PathContext, 'secrets'> & { inputs: Input[] },
): TemplatePart {
  const known = [...parameters.inputs, ...inputs].some((input) => input.name === name);
  if (!known) {
    report(
      schemaFinding(
        'VAL051',
        `${path}.path`,
        `nothing fills {{${name}}} in the path; callers are asked for it (${path})`,
        {
          hint: 'Declare an insert parameter with this key, or the name in main.requiredServerParams.',
        },
      ),
    );
    inputs.push({ name, aliases: [], z: { primitive: 'string', optional: false } });
  }
  return { kind: 'input', name };
}
