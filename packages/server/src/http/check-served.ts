import { checkSelect, type Finding, nearestWord, schemaProblems } from '@schemakit/core';
import type { ServedTool } from '../offer/offer.ts';

/** What is wrong with schemas that are to be served. */
export interface SchemasCheck {
  /** Errors over which there can be no server. */
  findings: Finding[];
  /** What was found in files that did not load; the others are served without them. */
  leftOut: Finding[];
}

const hint = 'Pass what loadSchema gave, or the schemas of what loadSchemas gave.';

export function checkSchemas(schemas: readonly unknown[]): SchemasCheck {
  const findings: Finding[] = [];
  const leftOut: Finding[] = [];
  let usable = 0;
  for (const [index, schema] of schemas.entries()) {
    const path = `schemas[${index}]`;
    const problems = schemaProblems(schema);
    const { status, schemas: several } = Object(schema) as { status?: unknown; schemas?: unknown };
    if (problems.length === 0) usable += 1;
    else if (Array.isArray(several)) findings.push(refused(path, `${path} is what loadSchemas gave, and not a schema`));
    else if (status === false) leftOut.push(...problems);
    else findings.push(...problems.map(({ message }) => refused(path, `${path} cannot be served: ${message}`)));
  }
  if (schemas.length === 0) findings.push(refused('schemas', 'there is no schema to serve'));
  else if (usable === 0)
    findings.push(...leftOut.map(({ message }) => refused('schemas', `none can be served: ${message}`)));
  return { findings, leftOut };
}

function refused(path: string, message: string): Finding {
  return { code: 'ARG005', severity: 'error', path, message, hint };
}

/** Names of tools in options that no tool has. */
export function checkToolNames(
  tools: readonly ServedTool[],
  { select = {}, discovery }: { select?: object; discovery?: boolean | { pinned?: readonly string[] } },
): Finding[] {
  const known = tools.map(({ listing }) => listing.name);
  const pinned = typeof discovery === 'object' ? (discovery.pinned ?? []) : [];
  const named = [
    ...Object.keys(select).map((name) => ['select', name] as const),
    ...pinned.map((name) => ['discovery.pinned', name] as const),
  ];
  return named.flatMap(([path, name]) => {
    if (known.includes(name)) return [];
    const meant = nearestWord(name, known);
    const advice = meant === undefined ? 'Use the names that tools/list gives.' : `Did you mean ${meant}?`;
    return {
      code: 'ARG006',
      severity: 'error',
      path,
      message: `${path} names a tool ${name}, and there is none`,
      hint: advice,
    };
  });
}

/** Expressions of `select` that are none. The library that reads them is not loaded where there are none. */
export async function checkExpressions(select: Readonly<Record<string, string>> = {}): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(select).map(async ([name, expression]) =>
      (await checkSelect(expression)).map((finding) => ({
        ...finding,
        message: `select of ${name}: ${finding.message}`,
      })),
    ),
  );
  return found.flat();
}
