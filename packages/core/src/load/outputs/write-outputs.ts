import { isObject, type JsonObject } from '../../schema/json.ts';
import { mergeOutput } from '../../schema/output/generate-output-schema.ts';
import { type WrittenTools, writeToolFields } from './write-tool-fields.ts';

/** Writes inferred output blocks into the text of a schema file, merged with those that are there. See `writeToolFields`. Never throws. */
export function writeOutputs(
  text: string,
  { file, outputs }: { file: string; outputs: Readonly<Record<string, { mimeType: string; schema: JsonObject }>> },
): WrittenTools {
  const fields = (tools: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(outputs).map(([name, seen]) => {
        const tool = tools[name];
        return [name, { output: mergeOutput(isObject(tool) ? tool.output : undefined, seen) }];
      }),
    );
  return writeToolFields(text, { file, fields });
}
