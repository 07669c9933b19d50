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
  if (input === undefined) return fail('Invalid JSON argument.', `Write one JSON object, such as '{"limit":5}'.`);
  const schema = await SchemaKit.loadSchema({ filePath: file });
  if (!schema.status) {
    printFindings(schema.findings);
    return fail(`${file} did not load.`, `Run: schemakit validate ${file}`, errorMessages(schema.findings));
  }
  const result = await SchemaKit.fetch({ schema, userParams: input, serverParams: environment(), routeName: toolName, onLog: (level, text) => process.stderr.write(`${level}: ${text}\n`) });
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
  printJson({ status, toolCount: tools.length, tools });
}

/** `<file>::tool::<name>`, or `<file>::<name>` as format 2 wrote it. */
function splitReference(reference: string): { file?: string | undefined; toolName?: string | undefined } {
  const parts = reference.split('::');
  if (parts.length === 3 && parts[1] === 'tool') return { file: parts[0], toolName: parts[2] };
  return parts.length === 2 ? { file: parts[0], toolName: parts[1] } : {};
}

function parseInput(text = '{}'): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function fail(error: string, fix: string, messages: readonly string[] = [error]): void {
  printJson({ status: false, error, messages, fix });
}

function errorMessages(findings: readonly Finding[]): string[] {
  return findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}
