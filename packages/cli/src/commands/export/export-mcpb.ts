import { hash } from 'node:crypto';
import { exportFinding } from '../../exports/export-codes.ts';
import { mcpBundle } from '../../exports/mcp-bundle.ts';
import { isVersion } from '../../exports/server-json.ts';
import { type CommandResult, failWith } from '../../output/command-result.ts';
import { counted, shellWord } from '../../output/terminal-text.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { missingGrants, waitingFindings } from '../../sources/send-grants.ts';
import { chooseTools } from './choose-tools.ts';
import { describeTools, secretsOfTools } from './described-tools.ts';
import { projectPackage } from './project-package.ts';
import { type ExportFlags, exportRefused, omissionLines, writeExport } from './write-export.ts';

interface McpbFlags extends ExportFlags {
  name?: string;
  title?: string;
  description?: string;
  author?: string;
  version?: string;
}

/** `schemakit export mcpb`: a bundle that hosts install, with the schemas, the command and its dependencies. */
export async function exportMcpb(flags: McpbFlags, ...words: string[]): Promise<CommandResult> {
  const choice = await chooseTools(words, flags);
  if (!choice.ok) return choice.result;
  const { schemas } = choice.chosen;
  const own = projectPackage();
  const name = flags.name ?? choice.chosen.name;
  const version = flags.version ?? own.version ?? '1.0.0';
  const problem = optionProblem({ name, version });
  if (problem !== undefined) return exportRefused(problem).result;
  const files = schemas.map(({ loaded }) => loaded.file);
  // A bundle gets the grants that its schemas have here, never more.
  const waiting = waitingFindings(await missingGrants(files, flags)).map((finding) => ({
    ...finding,
    severity: 'error' as const,
  }));
  if (waiting.length > 0) return failWith(waiting, { findings: waiting });
  const { title, description, prompts } = describeTools(schemas);
  const secrets = secretsOfTools(schemas);
  const { bytes, omissions, fileCount } = await mcpBundle({
    ...{ name, version, schemas, secrets },
    displayName: flags.title ?? title ?? name,
    description: flags.description ?? description,
    author: flags.author ?? own.author ?? name,
    license: own.license,
    parts: new Map(schemas.map(({ loaded, parts }) => [loaded.file, parts])),
    tools: schemas.flatMap(({ exposed }) =>
      exposed.map(({ listing }) => ({ name: listing.name, description: listing.description })),
    ),
    hasPrompts: prompts > 0,
    allowed: readSettings().home.allowedLibraries,
  });
  const out = flags.out ?? `${name}.mcpb`;
  const written = writeExport(out, bytes, flags);
  if (!written.ok) return written.result;
  const sha256 = hash('sha256', bytes);
  // Of the same tools: without words, and without this group, it would be the default group.
  const chosen = [...words, ...(flags.group === undefined ? [] : ['--group', flags.group])].map(shellWord);
  const next = [
    ['schemakit export server-json', ...chosen, `--bundle ${shellWord(out)} --bundle-url <url>`].join(' ') +
      ` --name io.github.<user>/${name}`,
  ];
  const text = () =>
    [
      `${out}: ${(bytes.length / 1e6).toFixed(1)} MB, ${counted(fileCount, 'file')}`,
      ...(secrets.length > 0 ? [`Hosts ask for ${secrets.join(', ')}`] : []),
      ...omissionLines(omissions),
      ...next.map((command) => `Next: ${command}`),
    ].join('\n');
  const common = { status: true, kind: 'mcpb', path: out, bytes: bytes.length, sha256, fileCount, secrets };
  return { document: { ...common, omissions, findings: [], next }, text };
}

function optionProblem({ name, version }: { name: string; version: string }) {
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name)) {
    const message = `${JSON.stringify(name)} is no name of a bundle`;
    return exportFinding('EXP002', message, 'Give letters, digits, ".", "_" and "-": --name tides.');
  }
  if (isVersion(version)) return undefined;
  return exportFinding('EXP004', `${JSON.stringify(version)} is no version`, 'Give three numbers: --version 1.0.2.');
}
