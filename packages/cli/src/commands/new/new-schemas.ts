import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { askAll, canAsk } from '../../output/confirm.ts';
import { askForSchema } from './ask-for-schema.ts';
import { type NewFlags, writeSchemas } from './write-schemas.ts';

/** `schemakit new`: one door for whatever describes an API, and for nothing: then it asks. */
export async function newSchemas(flags: NewFlags, source?: string): Promise<CommandResult> {
  if (source !== undefined) return writeSchemas(flags, { source });
  if (!canAsk()) {
    const fix = 'Give a file or an address, or a curl command in quotes: schemakit new openapi.yaml';
    return usageError('Nothing describes the API, and questions need a terminal.', fix);
  }
  const given = await askAll(askForSchema);
  if (given === undefined) return failed('cancelled', { error: 'Cancelled: nothing was written.' });
  return writeSchemas(flags, given);
}
