import { dirname, resolve, sep } from 'node:path';
import { findSchemaFiles, type LoadedSchema } from '@schemakit/core';
import { type CheckedModule, checkModule, moduleKind } from '@schemakit/core/internal';
import { isRecord } from '../settings/parse-json.ts';

export interface OtherFile {
  file: string;
  kind: CheckedModule['kind'];
  /** Named by the user, not found in a folder. */
  named: boolean;
}

/** The agents, lists, prompts and skills at paths. Other modules, such as scripts, are left out. */
export async function findOthers(paths: readonly string[]): Promise<OtherFile[]> {
  const files = await findSchemaFiles(paths);
  return files.flatMap(({ file, named }) => {
    const kind = moduleKind(file);
    return kind === undefined || kind === 'schema' ? [] : { file, kind, named };
  });
}

/** Checks files that are no schemas. A prompt or a skill in a folder is checked with the schema or the agent that has it, if there is one. */
export async function checkOthers(
  others: readonly OtherFile[],
  { schemas, strict }: { schemas: readonly LoadedSchema[]; strict: boolean },
): Promise<CheckedModule[]> {
  const check = ({ file, kind }: OtherFile) => checkModule(file, kind, { schemas });
  const isText = ({ kind }: OtherFile) => kind === 'prompt' || kind === 'skill';
  const checked = await Promise.all(others.filter((other) => !isText(other)).map(check));
  const owned = new Set([...schemas.flatMap(textFiles), ...checked.flatMap(({ texts }) => texts)]);
  // An agent that is invalid does not say which texts it has.
  const broken = checked.flatMap(({ kind, status, file }) => (kind === 'agent' && !status ? dirname(file) + sep : []));
  const isOwned = (file: string) => owned.has(file) || broken.some((folder) => file.startsWith(folder));
  const texts = others.filter((other) => isText(other) && (other.named || !isOwned(other.file)));
  const all = [...checked, ...(await Promise.all(texts.map(check)))];
  return strict ? all.map(asErrors) : all;
}

/** The files of a schema's prompts and skills. */
function textFiles({ main, file }: LoadedSchema): string[] {
  const parts = [main?.skills, main?.prompts].flatMap((value) =>
    isRecord(value) ? Object.values(value) : (value ?? []),
  );
  return parts.flatMap((part) => {
    const path = isRecord(part) ? (part.file ?? part.contentFile) : undefined;
    return typeof path === 'string' ? resolve(dirname(file), path.trim()) : [];
  });
}

function asErrors({ findings, ...checked }: CheckedModule): CheckedModule {
  const strict = findings.map((finding) =>
    finding.severity === 'warning' ? { ...finding, severity: 'error' as const } : finding,
  );
  return { ...checked, findings: strict, status: strict.every(({ severity }) => severity !== 'error') };
}
