import type { ServingOptions } from '@schemakit/server';
import { nearestWord } from '../nearest-word.ts';
import { type CommandResult, misused } from '../output/command-result.ts';
import type { ServingFlags } from './serving-flags.ts';

type Checked = { ok: true; select?: NonNullable<ServingOptions['select']> } | { ok: false; result: CommandResult };

/** Checks flags that name tools: those to be pinned, and those of whose answers a part is wanted. */
export async function checkToolFlags(
  { pin, discovery, select = [] }: Pick<ServingFlags, 'pin' | 'discovery' | 'select'>,
  tools: { readonly list: readonly { name: string }[] },
): Promise<Checked> {
  // Thousands of names are not read for nothing.
  if (pin === undefined && select.length === 0) return { ok: true };
  const known = new Set(tools.list.map(({ name }) => name));
  if (pin !== undefined && discovery !== 'search') {
    return refused('--pin belongs to --discovery search: without it, all tools are listed.', 'Add --discovery search.');
  }
  const unknownPin = pin?.find((name) => !known.has(name));
  if (unknownPin !== undefined) return unknownTool('--pin', unknownPin, known);
  const entries = select.map((text) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)] as const);
  for (const [index, [name, expression]] of entries.entries()) {
    if (!select[index]?.includes('=')) {
      return refused(`--select ${select[index]} names no expression.`, 'Write: --select <tool>=<JMESPath expression>');
    }
    if (!known.has(name)) return unknownTool('--select', name, known);
    const { checkSelect } = await import('@schemakit/core');
    const [problem] = await checkSelect(expression);
    if (problem) return refused(`--select ${name}: ${problem.message}`, problem.hint ?? 'Write a JMESPath expression.');
  }
  return { ok: true, ...(entries.length > 0 && { select: Object.fromEntries(entries) }) };
}

function unknownTool(flag: string, name: string, known: ReadonlySet<string>): Checked {
  const meant = nearestWord(name, known);
  const [example] = known;
  const fix = meant === undefined ? `Names are such as ${example}.` : `Did you mean ${meant}?`;
  return refused(`${flag}: there is no tool ${name}.`, fix);
}

function refused(error: string, fix: string): Checked {
  return { ok: false, result: misused(error, fix) };
}
