import { checkArguments } from '../format/arguments.ts';
import { checkResult } from '../format/check-result.ts';
import { type Finding, hasNoErrors } from '../format/finding.ts';
import { findSchemaFiles, type SchemaFile } from './find-schema-files.ts';
import { type LoadedSchema, type LoadSchemaOptions, loadSchema } from './load-schema.ts';

export interface LoadSchemasOptions extends Omit<LoadSchemaOptions, 'filePath'> {
  /** Files and folders. */
  paths: readonly string[];
  /** Told after each file. */
  onProgress?: (progress: { done: number; total: number; file: string }) => void;
}

/** The schemas that were found, those that failed among them, and all that was found wrong. */
export interface LoadedSchemas {
  /** False if any schema failed, or if there was none. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  schemas: LoadedSchema[];
}

// Enough to keep the disk busy while files are parsed; more would only hold more of them in memory.
const atOnce = 16;

/** Loads files and whole folders of schemas, in a fixed order. Modules in folders that export no `main` are not schemas and are passed over. */
export async function loadSchemas(
  { paths, onProgress, ...options }: LoadSchemasOptions = {} as LoadSchemasOptions,
): Promise<LoadedSchemas> {
  const problems = checkArguments('loadSchemas', { paths }, { paths: 'text array' });
  if (problems.length > 0) return { ...checkResult(problems), schemas: [] };
  const files = await findSchemaFiles(paths);
  const schemas: (LoadedSchema | undefined)[] = new Array(files.length);
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < files.length; index = next++) {
      const entry = files[index] as SchemaFile;
      const schema = await loadSchema({ ...options, filePath: entry.file });
      if (entry.named || !isOtherModule(schema)) schemas[index] = schema;
      done += 1;
      onProgress?.({ done, total: files.length, file: entry.file });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const found = schemas.filter((schema) => schema !== undefined);
  const findings = found.flatMap((schema) => schema.findings);
  if (found.length === 0) findings.push(nothingFound(paths));
  return { status: hasNoErrors(findings), messages: findings.map(({ message }) => message), findings, schemas: found };
}

/** A list, a skill or a prompt beside the schemas: a module that exports something else than `main`. */
function isOtherModule({ findings }: LoadedSchema): boolean {
  return findings.some(({ code, message }) => code === 'VAL001' && !message.endsWith('exports nothing'));
}

function nothingFound(paths: readonly string[]): Finding {
  return {
    code: 'FIL005',
    severity: 'error',
    path: '',
    message: `there is no schema in ${paths.join(', ')}`,
    hint: 'Schemas are .mjs files with export const main.',
  };
}
