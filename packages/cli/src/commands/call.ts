import { exposeSchemas, type Finding, loadSchemas, SchemaKit } from '@schemakit/core';
import { environment } from '../environment.ts';
import { printFindings } from '../print-findings.ts';
import { printJson } from '../print-json.ts';

/** `schemakit call <file>::tool::<name> [<json>]` and `schemakit call list-tools <path>...`. */
export async function call(_flags: object, first: string, ...rest: string[]): Promise<void> {
  if (first === 'list-tools') return listTools(rest);
  const { file, toolName } = splitReference(first);
  if (file === undefined || toolName === undefined) {
    return fail(`"${first}" is not a tool reference.`, 'Write <file>.mjs::tool::<name>.');
  }
  const input = parseInput(rest[0]);
  if (!input.ok) return fail(input.problem, `Write one JSON object, such as '{"limit":5}'.`);
  if (rest.length > 1)
    return fail(`Too many arguments: ${rest.slice(1).join(' ')}.`, 'Quote the JSON as one argument.');
  const schema = await SchemaKit.loadSchema({ filePath: file });
  if (!schema.status) {
    printFindings(schema.findings);
    return fail(`${file} did not load.`, `Run: schemakit validate ${file}`, errorMessages(schema.findings));
  }
  const result = await SchemaKit.fetch({
    schema,
    userParams: input.value,
    serverParams: environment(),
    routeName: toolName,
    onLog: (level, text) => process.stderr.write(`${level}: ${text}\n`),
  });
  const name = `${String(schema.main?.namespace)}_${toolName}`;
  if (result.status) return printJson({ status: true, toolName: name, content: result.data });
  const [finding] = result.findings;
  printJson({
    status: false,
    toolName: name,
    error: result.messages[0] ?? 'The call failed.',
    messages: result.messages,
    ...(finding?.hint !== undefined && { fix: finding.hint }),
  });
}

async function listTools(paths: readonly string[]): Promise<void> {
  if (paths.length === 0)
    return fail('list-tools needs a schema file or a folder.', 'Run: schemakit call list-tools ./schemas');
  const { schemas, status, findings } = await loadSchemas({ paths });
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  const tools = exposeSchemas(schemas.filter((schema) => schema.status)).map(({ namespace, toolName, listing }) => ({
    toolName: `${namespace}_${toolName}`,
    mcpName: listing.name,
    namespace,
    routeName: toolName,
    description: listing.description,
  }));
  const reason =
    tools.length === 0
      ? { error: findings[0]?.message ?? 'There are no tools.', messages: errorMessages(findings) }
      : {};
  printJson({ status, toolCount: tools.length, tools, ...reason });
}

/** `<file>::tool::<name>`, or `<file>::<name>` as format 2 wrote it. A name may hold `::` itself. */
function splitReference(reference: string): { file?: string; toolName?: string } {
  const marker = reference.includes('::tool::') ? '::tool::' : '::';
  const index = reference.indexOf(marker);
  if (index <= 0) return {};
  return { file: reference.slice(0, index), toolName: reference.slice(index + marker.length) };
}

type Input = { ok: true; value: Record<string, unknown> } | { ok: false; problem: string };

function parseInput(text = '{}'): Input {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ok: true, value: value as Record<string, unknown> };
    }
    return { ok: false, problem: 'The input must be a JSON object.' };
  } catch (error) {
    return { ok: false, problem: `Invalid JSON argument: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

function fail(error: string, fix: string, messages: readonly string[] = [error]): void {
  printJson({ status: false, error, messages, fix });
}

function errorMessages(findings: readonly Finding[]): string[] {
  return findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}
