import { isObject, mergeOutput, type ToolFields, updateFile, writeToolFields } from '@schemakit/core/internal';
import { hasData, type TestOutcome } from '../../testing/run-tests.ts';
import { shownFile, type TestedRoute } from '../../testing/test-case.ts';
import { outputOf } from '../../testing/update-outputs.ts';
import { type OutputDifference, outputDifferences } from './output-differences.ts';
import { widenEnums } from './widen-enums.ts';

export interface Answered {
  route: TestedRoute;
  outcome: TestOutcome;
  /** Arguments that the file does not have: they become the test of the tool. */
  found?: { from: string; args: Readonly<Record<string, unknown>> };
}

/** Writes what was answered into the files: outputs where they differ, and tests where there were none. Returns the differences. */
export async function writeAnswers(
  answers: readonly Answered[],
): Promise<ReadonlyMap<TestedRoute, readonly OutputDifference[]>> {
  const differences = new Map<TestedRoute, readonly OutputDifference[]>();
  for (const [file, own] of Map.groupBy(answers, ({ route }) => route.schema.file)) {
    const fields = (tools: Readonly<Record<string, unknown>>): ToolFields =>
      Object.fromEntries(
        own.map(({ route, outcome, found }) => {
          const tool = tools[route.exposed.toolName];
          const declared = isObject(tool) ? tool.output : undefined;
          const output = outputWith(declared, outcome);
          differences.set(route, outputDifferences(schemaOf(declared), schemaOf(output)));
          const { description } = outcome.test;
          return [
            route.exposed.toolName,
            { ...(output && { output }), ...(found && { tests: [{ _description: description, ...found.args }] }) },
          ];
        }),
      ) as ToolFields;
    await updateFile(file, (text) => {
      const written = writeToolFields(text ?? '', { file: shownFile(file), fields });
      return written.changed ? withoutUnusedConstants(written.text) : undefined;
    });
  }
  return differences;
}

/** The declared output, replaced where the answer contradicts it; the same if there is nothing to learn from. */
function outputWith(declared: unknown, outcome: TestOutcome): object | undefined {
  const seen = hasData(outcome) ? outputOf([outcome]) : undefined;
  if (seen === undefined) return undefined;
  const merged = mergeOutput(declared, seen);
  return isObject(merged.schema) ? { ...merged, schema: widenEnums(merged.schema, [outcome.data]) } : merged;
}

function schemaOf(output: unknown): unknown {
  return isObject(output) ? output.schema : undefined;
}

/** Parts of answers that several tools had in common are constants; once the outputs differ, some have no use. */
function withoutUnusedConstants(text: string): string {
  for (const [whole, name = ''] of text.matchAll(/^const (\w+) = (?:.*;|[\s\S]*?\n[\]}];)\n\n/gm)) {
    const rest = text.replace(whole, () => '');
    if (!new RegExp(`\\b${name}\\b`).test(rest)) return withoutUnusedConstants(rest);
  }
  return text;
}
