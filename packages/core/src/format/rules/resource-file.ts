import type { Report } from '../finding.ts';
import type { ResourceFile, ResourceOrigin } from '../resource.ts';
import { resourceFinding } from '../resource-codes.ts';
import { valuesOf } from '../schema/fields.generated.ts';
import { textField } from './fields.ts';

interface FileContext {
  path: string;
  /** In lower case, the usual one first. */
  extensions: readonly string[];
  /** Whether a file with another extension is refused. Default false. */
  strict?: boolean;
  report: Report;
}

/** Reads where a resource's file is: `database` with a path, or `origin` with `name` (or `database`). */
export function readResourceFile(
  definition: Record<string, unknown>,
  { path, extensions, strict = false, report }: FileContext,
): ResourceFile | undefined {
  const field = textField(definition, 'database') === undefined ? 'name' : 'database';
  const file = textField(definition, field)?.trim();
  const origin = readOrigin(definition.origin, { path, report });
  if (file === undefined) {
    report(
      resourceFinding('RES005', path, 'the resource names no file', {
        hint: `Write origin: 'inline', name: 'places${extensions[0] ?? ''}', for a file in the folder resources/ beside the schema.`,
      }),
    );
    return undefined;
  }
  const place = `${path}.${field}`;
  if (file.split(/[\\/]/).includes('..') || file.includes('\0')) {
    report(
      resourceFinding('RES005', place, `the path ${JSON.stringify(file)} leads out of its folder`, {
        hint: 'Write a path without "..".',
      }),
    );
    return undefined;
  }
  if (!extensions.some((extension) => file.toLowerCase().endsWith(extension))) {
    report(
      resourceFinding('RES005', place, `the file ${JSON.stringify(file)} has an unusual extension`, {
        severity: strict ? 'error' : 'warning',
        hint: `Usual are ${extensions.join(', ')}.`,
      }),
    );
    if (strict) return undefined;
  }
  return origin === undefined ? { path: file } : { path: file, origin };
}

function readOrigin(origin: unknown, { path, report }: { path: string; report: Report }): ResourceOrigin | undefined {
  const known = valuesOf['DatabaseResource.origin'].find((each) => each === origin);
  if (known !== undefined) return known;
  if (origin !== undefined) {
    report(
      resourceFinding('RES004', `${path}.origin`, `origin ${JSON.stringify(origin)} is not known`, {
        hint: 'Write inline, project or global. The name is taken for a path.',
      }),
    );
  }
  return undefined;
}
