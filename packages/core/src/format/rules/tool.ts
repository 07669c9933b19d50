import { childPath, type Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import type { Template } from '../template.ts';
import type { Header, Tool } from '../tool.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { readOutput } from './output.ts';
import { readParameters } from './parameters.ts';
import { readPath } from './path.ts';

/** What the rules of one tool need to know about the schema around it. */
export interface ToolContext {
  path: string;
  root: Template;
  headers: readonly Header[];
  /** The names in `requiredServerParams`. */
  secrets: ReadonlySet<string>;
  report: Report;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'];
const fields = ['method', 'path', 'description', 'parameters', 'output', 'tests', 'preload', 'meta', 'annotations'];

/** Reads one tool definition (specification 2.2). Undefined where so much is missing that nothing could be called. */
export function readTool(name: string, definition: unknown, context: ToolContext): Tool | undefined {
  const { path, root, headers, secrets, report } = context;
  if (!isObject(definition)) {
    report(schemaFinding('VAL035', path, `a tool must be an object (${path})`));
    return undefined;
  }
  reportUnknownFields(definition, fields, { path, report });
  const method = readMethod(definition.method, path, report);
  const description = textField(definition, 'description');
  if (description === undefined) {
    report(
      schemaFinding('VAL034', `${path}.description`, `tool ${name} has no description (${path})`, {
        hint: 'Say what it returns and when to use it; models choose by it.',
      }),
    );
  }
  const parameters = readParameters(definition.parameters, { path, method, route: definition.path, secrets, report });
  const route = readPath(definition.path, { path, secrets, parameters, report });
  readTests(definition.tests, path, report);
  const ttlSeconds = readPreload(definition.preload, path, report);
  const output = readOutput(definition.output, { path, report });
  const url = [...root, ...route.template];
  const templates = [url, ...headers.map((header) => header.value), ...parameters.placements.map((item) => item.value)];
  return {
    name,
    description: description ?? '',
    method,
    url,
    headers,
    inputs: [...parameters.inputs, ...route.inputs],
    placements: parameters.placements,
    ...(output && { output }),
    secrets: secretsOf(templates),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
  };
}

function readMethod(value: unknown, path: string, report: Report): string {
  if (typeof value !== 'string' || value.trim() === '') {
    report(
      schemaFinding('VAL032', `${path}.method`, `route missing method (${path})`, { hint: "Write method: 'GET'." }),
    );
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

function readTests(value: unknown, path: string, report: Report): void {
  const tests = Array.isArray(value) ? value : [];
  if (tests.length < 3) {
    report(
      schemaFinding('TST001', `${path}.tests`, `${tests.length} of 3 tests (${path})`, {
        hint: "Add tests: [{ _description: '…', <parameter>: <value> }], so that the tool can be tested live.",
      }),
    );
  }
  tests.forEach((test, index) => {
    if (!isObject(test) || textField(test, '_description') === undefined) {
      const place = childPath(`${path}.tests`, index);
      report(schemaFinding('TST002', place, `a test has no _description (${place})`));
    }
  });
}

function readPreload(value: unknown, path: string, report: Report): number | undefined {
  if (value === undefined) return undefined;
  const { enabled, ttl } = isObject(value) ? value : {};
  if (typeof enabled !== 'boolean' || typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl <= 0) {
    report(
      schemaFinding('VAL039', `${path}.preload`, `preload needs enabled and ttl; answers are not kept (${path})`, {
        hint: 'Write preload: { enabled: true, ttl: 3600 }, the ttl in seconds.',
      }),
    );
    return undefined;
  }
  return enabled ? ttl : undefined;
}

function secretsOf(templates: readonly Template[]): readonly string[] {
  const names = templates.flatMap((template) =>
    template.flatMap((part) => (part.kind === 'secret' ? [part.name] : [])),
  );
  return [...new Set(names)];
}
