import { exportFinding } from '../../exports/export-codes.ts';
import { openApiDocument } from '../../exports/openapi-document.ts';
import { type CommandResult, failWith } from '../../output/command-result.ts';
import { counted, shellWord } from '../../output/terminal-text.ts';
import type { Output } from '../../run-command.ts';
import { chooseTools } from './choose-tools.ts';
import { projectPackage } from './project-package.ts';
import { type ExportFlags, omissionLines, onStandardOutput, sayOmissions, writeExport } from './write-export.ts';

interface OpenApiFlags extends ExportFlags {
  title?: string;
  version?: string;
}

/** `schemakit export openapi`: the document on stdout, or in the file of --out. */
export function exportOpenApi({ isJson }: Output): (flags: OpenApiFlags, ...words: string[]) => Promise<CommandResult> {
  return async (flags, ...words) => {
    const result = await exportDocument(flags, words);
    if (flags.out !== undefined || isJson) return result;
    if (!result.document.status) return onStandardOutput(result);
    const { document, omissions } = result.document as {
      document?: object;
      omissions?: Parameters<typeof sayOmissions>[0];
    };
    sayOmissions(omissions ?? []);
    return { ...result, exported: document ?? {} };
  };
}

async function exportDocument(
  { out, title, version, ...flags }: OpenApiFlags,
  words: readonly string[],
): Promise<CommandResult> {
  const choice = await chooseTools(words, flags);
  if (!choice.ok) return choice.result;
  const { name, schemas } = choice.chosen;
  const [only, ...others] = schemas;
  const main: { name?: string; description?: string } = others.length === 0 ? (only?.loaded.main ?? {}) : {};
  const about = {
    title: title ?? main.name ?? name,
    version: version ?? projectPackage().version ?? '1.0.0',
    description: main.description,
  };
  const { document, omissions, operationCount } = openApiDocument(schemas, about);
  if (operationCount === 0) {
    const [first] = omissions;
    const why = first === undefined ? '' : `: ${first.tool}: ${first.message}`;
    const finding = exportFinding(
      'EXP001',
      `no tool can be written as OpenAPI${why}`,
      first?.hint ?? 'Name schemas with tools.',
    );
    return failWith([finding], { findings: [finding], omissions });
  }
  const common = { status: true, kind: 'openapi', omissions, findings: [] };
  if (out === undefined) return { document: { ...common, document, next: [] } };
  const written = writeExport(out, Buffer.from(`${JSON.stringify(document, null, 2)}\n`), flags);
  if (!written.ok) return written.result;
  const next = [`schemakit new ${shellWord(out)} --dry-run`];
  const text = () =>
    [
      `${counted(operationCount, 'operation')} in ${out}`,
      ...omissionLines(omissions),
      ...next.map((command) => `Next: ${command}`),
    ].join('\n');
  return { document: { ...common, path: out, next }, text };
}
