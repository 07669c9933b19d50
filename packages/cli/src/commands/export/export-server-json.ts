import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Finding } from '@schemakit/core';
import { exportFinding } from '../../exports/export-codes.ts';
import { cutDescription, serverJson, splitPackage } from '../../exports/server-json.ts';
import { type CommandResult, failWith, type Step } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { reasonOf, shellWord } from '../../output/terminal-text.ts';
import type { Output } from '../../run-command.ts';
import { chooseTools } from './choose-tools.ts';
import { describeTools, secretsOfTools } from './described-tools.ts';
import { type ProjectPackage, projectPackage } from './project-package.ts';
import { type ExportFlags, exportRefused, onStandardOutput, writeExport } from './write-export.ts';

interface ServerJsonFlags extends ExportFlags {
  name?: string;
  title?: string;
  description?: string;
  version?: string;
  npm?: string;
  url?: string;
  bundle?: string;
  bundleUrl?: string;
  repository?: string;
}

/** `schemakit export server-json`: the entry of a server in the MCP registry. */
export function exportServerJson({
  isJson,
}: Output): (flags: ServerJsonFlags, ...words: string[]) => Promise<CommandResult> {
  return async (flags, ...words) => {
    const result = await exportEntry(flags, words);
    if (flags.out !== undefined || isJson) return result;
    if (!result.document.status) return onStandardOutput(result);
    const { document } = result.document as { document?: object };
    return { ...result, exported: document ?? {} };
  };
}

async function exportEntry(flags: ServerJsonFlags, words: readonly string[]): Promise<CommandResult> {
  const choice = await chooseTools(words, flags);
  if (!choice.ok) return choice.result;
  const bundle = readBundle(flags);
  if (!bundle.ok) return bundle.result;
  const { schemas } = choice.chosen;
  const own = projectPackage();
  const name = flags.name ?? own.mcpName ?? '';
  const { title, url, npm, repository } = flags;
  const written = serverJson({
    ...{ name, title, url, npm, repository, bundle: bundle.found },
    description: flags.description ?? cutDescription(describeTools(schemas).description),
    version: flags.version ?? own.version ?? '1.0.0',
    secrets: secretsOfTools(schemas),
  });
  if ('finding' in written) return exportRefused(written.finding).result;
  const findings = packageFindings({ name, npm, own });
  if (findings.some(({ severity }) => severity === 'error')) return failWith(findings, { findings });
  printFindings(findings);
  const { document } = written;
  const common = { status: true, kind: 'server-json', omissions: [], findings };
  if (flags.out === undefined) return { document: { ...common, document, next: ['mcp-publisher publish'] } };
  const stored = writeExport(flags.out, Buffer.from(`${JSON.stringify(document, null, 2)}\n`), flags);
  if (!stored.ok) return stored.result;
  const next = [`mcp-publisher publish ${shellWord(flags.out)}`];
  const text = () => [`${name} in ${flags.out}`, ...next.map((command) => `Next: ${command}`)].join('\n');
  return { document: { ...common, path: flags.out, next }, text };
}

function readBundle({ bundle, bundleUrl }: ServerJsonFlags): Step<{ found?: { url: string; sha256: string } }> {
  if (bundle === undefined && bundleUrl === undefined) return { ok: true };
  if (bundle === undefined || bundleUrl === undefined) {
    const hint = 'Give both: --bundle <file> for the hash, --bundle-url <url> for the download.';
    return exportRefused(exportFinding('EXP004', '--bundle and --bundle-url go together', hint));
  }
  try {
    return { ok: true, found: { url: bundleUrl, sha256: hash('sha256', readFileSync(bundle)) } };
  } catch (error) {
    const hint = 'Write it first: schemakit export mcpb <schemas>';
    return exportRefused(exportFinding('EXP004', `cannot read ${bundle}: ${reasonOf(error)}`, hint));
  }
}

/** The registry compares `mcpName` of the published package with the name of the entry. */
function packageFindings({
  name,
  npm,
  own,
}: {
  name: string;
  npm: string | undefined;
  own: ProjectPackage;
}): Finding[] {
  if (npm === undefined || own.name !== splitPackage(npm)[0] || own.mcpName === name) return [];
  const hint = `Write "mcpName": ${JSON.stringify(name)} in package.json, and publish the package first.`;
  const has = own.mcpName === undefined ? 'has no mcpName' : `has the mcpName ${JSON.stringify(own.mcpName)}`;
  const finding = exportFinding('EXP002', `package.json ${has}, which the registry compares with ${name}`, hint);
  return [own.mcpName === undefined ? { ...finding, severity: 'warning' } : finding];
}
