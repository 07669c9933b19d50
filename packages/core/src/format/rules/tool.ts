import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import { fieldsOf, valuesOf } from '../schema/fields.generated.ts';
import type { Template } from '../template.ts';
import type { Header, Input, Tool } from '../tool.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { readOutput } from './output.ts';
import { readParameters } from './parameters.ts';
import { readPath } from './path.ts';
import { readPreload } from './preload.ts';
import { checkToolTests } from './tool-tests.ts';

/** What the rules of one tool need to know about the schema around it. */
export interface ToolContext {
  path: string;
  root: Template;
  headers: readonly Header[];
  /** The names in `requiredServerParams`. */
  secrets: ReadonlySet<string>;
  report: Report;
}

const methods: readonly string[] = valuesOf['Tool.method'];

/** Reads one tool definition (specification 2.2). Undefined where so much is missing that nothing could be called. */
export function readTool(name: string, definition: unknown, context: ToolContext): Tool | undefined {
  const { path, root, headers, secrets, report } = context;
  if (!isObject(definition)) {
    report(schemaFinding('VAL035', path, `a tool must be an object (${path})`));
    return undefined;
  }
  reportUnknownFields(definition, fieldsOf.Tool, { path, report });
  const method = readMethod(definition.method, path, report);
  const description = textField(definition, 'description');
  if (description === undefined) {
    report(
      schemaFinding('VAL034', `${path}.description`, missingDescription(name, definition.description, path), {
        hint: 'Say what it returns and when to use it; models choose by it.',
      }),
    );
  }
  const parameters = readParameters(definition.parameters, { path, method, route: definition.path, secrets, report });
  const route = readPath(definition.path, { path, secrets, parameters, report });
  const ttlSeconds = readPreload(definition.preload, { path, report });
  const output = readOutput(definition.output, { path, report });
  if (definition.async !== undefined) {
    report(schemaFinding('VAL037', `${path}.async`, `async is reserved and does nothing yet (${path})`));
  }
  const inputs = withoutTakenAliases([...parameters.inputs, ...route.inputs]);
  checkToolTests(definition.tests, { path, inputs, report });
  const url = [...root, ...route.template];
  const templates = [url, ...headers.map((header) => header.value), ...parameters.placements.map((item) => item.value)];
  return {
    name,
    description: description ?? '',
    method,
    url,
    headers,
    inputs,
    placements: parameters.placements,
    ...(output && { output }),
    secrets: secretsOf(templates),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
  };
}

/** What is the name of an input means that input, and is nobody's other name. */
function withoutTakenAliases(inputs: readonly Input[]): readonly Input[] {
  if (inputs.every(({ aliases }) => aliases.length === 0)) return inputs;
  const names = new Set(inputs.map(({ name }) => name));
  return inputs.map((input) => ({ ...input, aliases: input.aliases.filter((alias) => !names.has(alias)) }));
}

function missingDescription(name: string, value: unknown, path: string): string {
  const isOther = value !== undefined && typeof value !== 'string';
  return isOther
    ? `the description of tool ${name} must be text (${path})`
    : `tool ${name} has no description (${path})`;
}

function readMethod(value: unknown, path: string, report: Report): string {
  if (typeof value !== 'string' || value.trim() === '') {
    const isOther = value !== undefined && typeof value !== 'string';
    const message = isOther ? `method must be text (${path})` : `route missing method (${path})`;
    report(schemaFinding('VAL032', `${path}.method`, message, { hint: "Write method: 'GET'." }));
    return 'GET';
  }
  const method = value.trim().toUpperCase();
  if (!methods.includes(method)) {
    report(
      schemaFinding('VAL032', `${path}.method`, `method ${JSON.stringify(value)} is not an HTTP method (${path})`, {
        hint: `Use one of ${methods.join(', ')}.`,
      }),
    );
  } else if (method !== value) {
    report(
      schemaFinding('VAL032', `${path}.method`, `method ${JSON.stringify(value)} is read as ${method} (${path})`, {
        severity: 'warning',
      }),
    );
  }
  return method;
}

function secretsOf(templates: readonly Template[]): readonly string[] {
  const names = new Set<string>();
  for (const template of templates) for (const part of template) if (part.kind === 'secret') names.add(part.name);
  return [...names];
}
