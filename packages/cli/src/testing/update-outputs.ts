import { readFile } from 'node:fs/promises';
import { type Finding, SchemaKit } from '@schemakit/core';
import { updateFile, type WrittenTools, writeOutputs } from '@schemakit/core/internal';
import { printable, reasonOf } from '../output/terminal-text.ts';
import { isRecord } from '../settings/parse-json.ts';
import { hasData, type TestOutcome } from './run-tests.ts';
import { shownFile } from './test-case.ts';

interface UpdatedFile {
  file: string;
  changed: boolean;
  tools: string[];
}

export type OutputBlock = Parameters<typeof writeOutputs>[1]['outputs'][string];

const maxLevels = 4;

/** Infers output schemas from the responses of tests and writes them into the schema files. */
export async function updateOutputs(
  outcomes: readonly TestOutcome[],
  { dryRun }: { dryRun: boolean },
): Promise<{ updated: UpdatedFile[]; findings: Finding[] }> {
  const updated: UpdatedFile[] = [];
  const findings: Finding[] = [];
  const usable = outcomes.filter((outcome) => hasData(outcome) && outcome.test.exposed.resource === undefined);
  for (const [file, own] of Map.groupBy(usable, ({ test }) => test.schema.file)) {
    const outputs = outputsOf(own);
    const written = await writeFileOutputs(file, { outputs, dryRun });
    if (dryRun) process.stderr.write(written.findings.length > 0 ? outputsText(file, outputs) : written.diff);
    findings.push(...written.findings);
    updated.push({ file: shownFile(file), changed: written.changed, tools: written.tools });
  }
  return { updated, findings };
}

export function updatesText(updated: readonly UpdatedFile[], { dryRun }: { dryRun: boolean }): string[] {
  const verb = dryRun ? 'Would update' : 'Updated';
  const lines = updated.flatMap(({ file, changed, tools }) =>
    changed ? [`${verb} the output of ${tools.join(', ')} in ${file}`] : [],
  );
  return lines.length === 0 ? ['All outputs were up to date.'] : lines;
}

function outputsOf(outcomes: readonly TestOutcome[]): Record<string, OutputBlock> {
  const blocks: Record<string, OutputBlock> = {};
  for (const [tool, own] of Map.groupBy(outcomes, ({ test }) => test.routeName)) {
    const block = outputOf(own);
    if (block !== undefined) blocks[tool] = block;
  }
  return blocks;
}

/** The outputs of a file that cannot be edited, for its author to paste. */
function outputsText(file: string, outputs: Readonly<Record<string, OutputBlock>>): string {
  const texts = Object.entries(outputs).map(
    ([tool, block]) =>
      `// ${printable(`${tool} in ${shownFile(file)}`)}\noutput: ${printable(JSON.stringify(block, null, 2), { keepLines: true })},\n`,
  );
  return texts.join('\n');
}

/** Infers from all responses of a tool as items of one list, so that optional fields are included. */
export function outputOf(outcomes: readonly TestOutcome[]): OutputBlock | undefined {
  const mimeType = outcomes.find((outcome) => outcome.mimeType)?.mimeType || 'application/json';
  const { output } = SchemaKit.generateOutputSchema({
    response: outcomes.map(({ data }) => data),
    maxLevels: maxLevels + 1,
  });
  const items = output?.schema.items;
  if (!isRecord(items)) return undefined;
  return { mimeType: mimeType.split(';', 1)[0]?.trim() ?? mimeType, schema: items as OutputBlock['schema'] };
}

async function writeFileOutputs(
  file: string,
  { outputs, dryRun }: { outputs: Record<string, OutputBlock>; dryRun: boolean },
): Promise<Pick<WrittenTools, 'findings' | 'changed' | 'diff' | 'tools'>> {
  const shown = shownFile(file);
  let written: WrittenTools | undefined;
  const write = (text: string) => {
    written = writeOutputs(text, { file: shown, outputs });
    return written.changed ? written.text : undefined;
  };
  try {
    if (dryRun) write(await readFile(file, 'utf8'));
    // The author may have just saved it.
    else await updateFile(file, (text) => write(text ?? ''));
  } catch (error) {
    const message = `cannot write the file: ${reasonOf(error)}`;
    return { ...nothing, findings: [{ code: 'OUT005', severity: 'error', path: '', message, file }] };
  }
  return written ?? nothing;
}

const nothing = { findings: [], changed: false, diff: '', tools: [] };
