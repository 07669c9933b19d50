import { join, relative } from 'node:path';
import type { ImportResult } from '@schemakit/import';
import type { CommandResult } from '../../output/command-result.ts';
import { counted, printable, shellWord } from '../../output/terminal-text.ts';
import { firstLine } from '../../output/text-table.ts';
import { type TriedTool, tryTools } from './try-tools.ts';

/** The result of an import whose tools were tried too. An API that does not answer does not make the import fail. */
export async function withTried(
  result: CommandResult,
  { files, tools }: Pick<ImportResult, 'files' | 'tools'>,
  { folder, ...options }: { folder: string; named: string; envFile?: string | undefined },
): Promise<CommandResult> {
  const paths = Object.keys(files).filter((path) => path.endsWith('.mjs'));
  const { tried, recordings, tokens } = await tryTools(
    paths.map((path) => join(folder, path)),
    { folder, ...options },
  );
  const shown = recordings && (relative('.', recordings) || recordings);
  const replay = shown && `schemakit test single ${shellWord(folder)} --replay ${shellWord(shown)}`;
  const measured = tools.map((tool) => ({ ...tool, tokens: tokens.get(tool.name) ?? tool.tokens }));
  const next = Array.isArray(result.document.next) ? result.document.next : [];
  const document = {
    ...result.document,
    tools: measured,
    tokens: measured.reduce((sum, tool) => sum + tool.tokens, 0),
    tried,
    recordings: shown,
    next: [...(replay === undefined ? [] : [replay]), ...next],
  };
  const text = () =>
    `${result.text?.() ?? ''}\n${triedText(tried, shown)}${replay === undefined ? '' : `\nNext: ${replay}`}`;
  return { ...result, document, text };
}

function triedText(tried: readonly TriedTool[], recordings: string | undefined): string {
  const of = (wanted: TriedTool['result']) => tried.filter(({ result }) => result === wanted);
  const [answered, failures, untried] = [of('answered'), of('failed'), of('not tried')];
  const sums = `${counted(answered.length, 'tool')} answered, ${failures.length} failed, ${untried.length} not tried.`;
  const differing = answered.filter(({ differences = [] }) => differences.length > 0);
  return [
    `${sums}${recordings === undefined ? '' : ` Recordings: ${recordings}`}`,
    ...answered.flatMap(({ tool, found }) =>
      found === undefined ? [] : [`  ${tool} was called with ${argsText(found.args)}, the first item of ${found.from}`],
    ),
    ...(differing.length > 0 ? ['Outputs that were replaced where the answer differs:'] : []),
    ...differing.flatMap(({ tool, differences = [] }) => [
      ...differences
        .slice(0, maxShown)
        .map(({ place, declared, sent }) => `  ${tool} ${place}: declared ${declared}, sent ${sent}`),
      ...(differences.length > maxShown ? [`  ${tool}: ${differences.length - maxShown} more`] : []),
    ]),
    ...reasonLines('Failed, with their declared output', failures),
    ...reasonLines('Not tried', untried),
  ]
    .map((line) => printable(line))
    .join('\n');
}

const maxShown = 10;

/** Tools with the same reason are on one line. */
function reasonLines(title: string, tools: readonly TriedTool[]): string[] {
  const groups = [...Map.groupBy(tools, ({ reason = '', fix = '' }) => `${firstLine(reason, 160)}\n${fix}`)];
  const lines = groups.flatMap(([why, same]) => {
    const [reason = '', fix = ''] = why.split('\n');
    const names = same.slice(0, maxShown).map(({ tool }) => tool);
    const more = same.length > maxShown ? ` and ${same.length - maxShown} more` : '';
    return [`  ${names.join(', ')}${more}: ${reason}`, ...(fix === '' ? [] : [`    ${fix}`])];
  });
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

function argsText(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
}
