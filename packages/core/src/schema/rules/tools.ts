import { childPath } from '../finding.ts';
import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import { plainToolName } from '../references/tool-names.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import type { Header, Input, Signature, Tool } from '../schema.ts';
import type { Template } from '../template.ts';
import { parseAnnotations } from './annotations.ts';
import type { AuthParts } from './auth.ts';
import { parseEncoding } from './encoding.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { parseIdempotency } from './idempotency.ts';
import { parseOutput } from './output.ts';
import { credentialTemplates, secretsIn, signatureTemplates, withoutOwnPlaces } from './own-secrets.ts';
import { parsePagination } from './pagination.ts';
import { parseParameters } from './parameters.ts';
import { parsePath } from './path.ts';
import { parseToolHeaders } from './root.ts';
import { checkToolTests } from './tool-tests.ts';

const maxTools = 8;

/** The key of the tools; `routes` is the old name. */
export function toolsKey({ tools, routes }: Fields): 'tools' | 'routes' {
  return tools === undefined && routes !== undefined ? 'routes' : 'tools';
}

export function parseTools(
  main: Fields,
  context: Omit<ToolContext, 'path'> & { version: string },
): ReadonlyMap<string, Tool> {
  const { report, version } = context;
  const key = toolsKey(main);
  const isFormat2 = version.startsWith('2.');
  if (main.tools !== undefined && main.routes !== undefined) {
    const hint = 'Move all routes to tools; routes is the old name.';
    report('VAL017', 'main.routes', 'main has both tools and routes', hint);
  } else if (key === 'routes' && !isFormat2) {
    report('VAL018', 'main.routes', 'main.routes is deprecated', 'Rename it to tools.');
  }
  const value = main[key];
  if (!isObject(value)) {
    const severity = value === undefined && hasOtherPrimitives(main) ? 'warning' : 'error';
    const message = value === undefined ? 'main.tools is required' : `main.${key} must be an object`;
    report('VAL016', `main.${key}`, message, {
      severity,
      hint: "Write tools: { getThing: { method: 'GET', path: '/thing', description: '…', parameters: [] } }.",
    });
    return new Map();
  }
  const entries = Object.entries(value);
  if (entries.length === 0 && !hasOtherPrimitives(main)) {
    report('VAL016', `main.${key}`, 'main.tools is empty', 'Add at least one tool.');
  }
  if (entries.length > maxTools && isFormat2) {
    const hint = `It has ${entries.length}. Split it into several schemas of the same namespace.`;
    report('VAL031', `main.${key}`, 'schema exceeds maximum of 8 routes', hint);
  } else if (entries.length > maxTools) {
    const message = `the schema has ${entries.length} tools; at most 8 are recommended`;
    report('VAL038', `main.${key}`, message, 'Split it: several schemas can share a namespace.');
  }
  const tools = new Map<string, Tool>();
  for (const [name, definition] of entries) {
    const path = childPath(`main.${key}`, name);
    const exposed = plainToolName(name);
    if (exposed !== name) {
      const hint = 'Use only letters, digits, - and _, such as getPrice: MCP clients accept nothing else.';
      report('VAL030', path, `tool ${JSON.stringify(name)} is exposed as ${exposed} (${path})`, hint);
    }
    const tool = parseTool(name, definition, { ...context, path });
    if (tool) tools.set(name, tool);
  }
  return tools;
}

export function hasOtherPrimitives(main: Fields): boolean {
  return ['resources', 'skills', 'prompts'].some((key) => {
    const value = main[key];
    return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  });
}

export interface ToolContext extends Place {
  root: Template;
  headers: readonly Header[];
  auth: AuthParts;
  signature: Signature | undefined;
  secrets: ReadonlySet<string>;
}

const methods: readonly string[] = valuesOf['Tool.method'];

/** Parses a tool. Undefined if it cannot be called at all. */
function parseTool(name: string, definition: unknown, context: ToolContext): Tool | undefined {
  const { path, root, secrets, report } = context;
  if (!isObject(definition)) return report('VAL035', path, `a tool must be an object (${path})`);
  reportUnknownFields(definition, fieldsOf.Tool, { path, report });
  const method = parseMethod(definition.method, path, report);
  const isOpen = definition.auth === false;
  const { auth, signature } = isOpen ? { auth: {} as AuthParts, signature: undefined } : context;
  const description = textField(definition, 'description');
  if (description === undefined) {
    const hint = 'Describe what it returns and when to use it; models choose by it.';
    const isOther = definition.description !== undefined && typeof definition.description !== 'string';
    const problem = isOther ? `the description of tool ${name} must be text` : `tool ${name} has no description`;
    report('VAL034', `${path}.description`, `${problem} (${path})`, hint);
  }
  const parameters = parseParameters(definition.parameters, { path, method, route: definition.path, secrets, report });
  const encoding = parseEncoding(definition.encoding, { path, method, parameters, report });
  const accept = parseAccept(definition.accept, { path, report });
  const pagination = parsePagination(definition.pagination, { path, report });
  const given = { headers: withoutType(context.headers, encoding), path, secrets, report };
  reportOwnHeader(definition.headers, auth.header, { path, report });
  const headers = withHeader(withAccept(parseToolHeaders(definition.headers, given), accept), auth.header);
  const route = parsePath(definition.path, { path, secrets, parameters, report });
  const ttlSeconds = parsePreload(definition.preload, { path, report });
  const annotations = parseAnnotations(definition.annotations, { path, method, report });
  const idempotencyHeader = parseIdempotency(definition.idempotency, { path, headers, report });
  const output = parseOutput(definition.output, { path, report });
  if (definition.auth !== undefined && definition.auth !== false) {
    report(
      'VAL077',
      `${path}.auth`,
      `auth of a tool can only be false; ignored (${path})`,
      'Write auth in main, for all tools.',
    );
  }
  if (definition.async !== undefined) {
    report('VAL037', `${path}.async`, `async is reserved and does nothing yet (${path})`);
  }
  const inputs = withoutTakenAliases([...parameters.inputs, ...route.inputs]);
  checkToolTests(definition.tests, { path, inputs, report });
  const url = [...root, ...route.template];
  const others = withoutOwnPlaces(parameters.placements, { auth, signature, path, report });
  const placements = [...others, ...(auth.placement ? [auth.placement] : [])];
  const templates = [url, ...headers.map((header) => header.value), ...placements.map((item) => item.value)];
  const { credentials } = auth;
  const sent = secretsIn(templates).filter((secret) => secret !== credentials?.name);
  return {
    name,
    description: description ?? '',
    method,
    url,
    headers,
    inputs,
    placements,
    ...(encoding && { encoding }),
    ...(accept !== undefined && { accept }),
    ...(pagination && { pagination }),
    ...(output && { output }),
    ...(credentials && { credentials }),
    ...(signature && { signature }),
    secrets: [
      ...new Set([...sent, ...secretsIn([...credentialTemplates(credentials), ...signatureTemplates(signature)])]),
    ],
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    ...(annotations && { annotations }),
    ...(idempotencyHeader !== undefined && { idempotencyHeader }),
  };
}

/** The content type of `main` is for tools that do not say how their body is written. */
function withoutType(headers: readonly Header[], encoding: Tool['encoding']): readonly Header[] {
  return encoding === undefined ? headers : headers.filter(({ name }) => name.toLowerCase() !== 'content-type');
}

function withAccept(headers: readonly Header[], accept: string | undefined): readonly Header[] {
  return withHeader(
    headers,
    accept === undefined ? undefined : { name: 'Accept', value: [{ kind: 'text', text: accept }] },
  );
}

function parseAccept(value: unknown, { path, report }: Place): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[^\s/;]+\/[^\s/;]+/.test(value) && !/\p{Cc}/u.test(value)) return value;
  const hint = "Write accept: 'text/csv'.";
  return report('VAL084', `${path}.accept`, `accept must be a media type; ignored (${path})`, hint);
}

/** Removes aliases that are the name of another input. */
function withoutTakenAliases(inputs: readonly Input[]): readonly Input[] {
  if (inputs.every(({ aliases }) => aliases.length === 0)) return inputs;
  const names = new Set(inputs.map(({ name }) => name));
  return inputs.map((input) => ({ ...input, aliases: input.aliases.filter((alias) => !names.has(alias)) }));
}

function parseMethod(value: unknown, path: string, report: RuleReport): string {
  if (typeof value !== 'string' || value.trim() === '') {
    const isOther = value !== undefined && typeof value !== 'string';
    const message = isOther ? `method must be text (${path})` : `route missing method (${path})`;
    report('VAL032', `${path}.method`, message, "Write method: 'GET'.");
    return 'GET';
  }
  const method = value.trim().toUpperCase();
  if (!methods.includes(method)) {
    const hint = `Use one of ${methods.join(', ')}.`;
    report('VAL032', `${path}.method`, `method ${JSON.stringify(value)} is not an HTTP method (${path})`, hint);
  } else if (method !== value) {
    const message = `method ${JSON.stringify(value)} is read as ${method} (${path})`;
    report('VAL032', `${path}.method`, message, { severity: 'warning' });
  }
  return method;
}

function withHeader(headers: readonly Header[], added: Header | undefined): readonly Header[] {
  if (added === undefined) return headers;
  return [...headers.filter(({ name }) => name.toLowerCase() !== added.name.toLowerCase()), added];
}

/** A tool cannot replace the header of `auth`. */
function reportOwnHeader(value: unknown, own: Header | undefined, { path, report }: Place): void {
  if (own === undefined || !isObject(value)) return;
  const name = Object.keys(value).find((each) => each.toLowerCase() === own.name.toLowerCase());
  if (name === undefined) return;
  const message = `headers of the tool and main.auth both set ${name}; that of auth is sent (${path})`;
  report(
    'VAL077',
    `${path}.headers.${name}`,
    message,
    'Remove it, or write auth: false to send no credentials of main.',
  );
}

/** Parses `preload: { enabled, ttl, description }` into seconds; undefined if answers are not cached. */
function parsePreload(value: unknown, { path, report }: Place): number | undefined {
  if (value === undefined) return undefined;
  const place = `${path}.preload`;
  const hint = 'Write preload: { enabled: true, ttl: 3600 }, the ttl in seconds.';
  const say = (at: string, problem: string) =>
    report('VAL039', at, `${problem}; answers are not cached (${path})`, hint);
  if (!isObject(value)) return say(place, 'preload must be an object');
  reportUnknownFields(value, fieldsOf.Preload, { path: place, report });
  const { enabled, ttl } = value;
  const isTtl = typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl > 0;
  if (typeof enabled !== 'boolean') say(`${place}.enabled`, 'preload.enabled must be true or false');
  if (!isTtl) say(`${place}.ttl`, 'preload.ttl must be a positive integer, in seconds');
  return enabled === true && isTtl ? ttl : undefined;
}
