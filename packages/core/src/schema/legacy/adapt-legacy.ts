import { checkArguments } from '../arguments.ts';
import { type CheckResult, checkResult, type Result } from '../check-result.ts';
import type { Finding } from '../finding.ts';
import type { JsonObject } from '../json.ts';
import { adaptMain } from './adapt-main.ts';
import { toLegacyData } from './hook-plan.ts';
import { legacyFinding } from './legacy-codes.ts';
import { createLegacyHandlers, type LegacyHooks } from './legacy-handlers.ts';

/** A format 1 schema as the two exports of format 3. `main` is null where the schema could not be converted. */
export type AdaptedLegacy = Result<LegacyExports & { main: JsonObject }, LegacyExports & { main: JsonObject | null }>;

interface LegacyExports {
  /** For `createHandlers`; null where no handler runs. */
  handlersFn: (() => Record<string, LegacyHooks>) | null;
  hasHandlers: boolean;
  /** What was changed on the way, as text. */
  warnings: string[];
}

/**
 * Converts a format 1 schema object. `main` is plain data of version 3.0.0; the handlers of the schema
 * become the hooks of its tools, and run as they did in format 1. They are the caller's own code and run in its process.
 * Nothing is thrown, and the schema is not changed.
 *
 * @example
 * const { main, handlersFn } = adaptLegacy({ legacySchema: schema });
 * const { handlerMap } = createHandlers({ handlersFn, routeNames: Object.keys(main.tools) });
 */
export function adaptLegacy({ legacySchema }: { legacySchema?: unknown } = {}): AdaptedLegacy {
  const findings = checkArguments('adaptLegacy', { legacySchema }, { legacySchema: 'object' });
  const data = findings.length > 0 ? undefined : readData(legacySchema, findings);
  if (data === undefined)
    return { ...report(findings), status: false, main: null, handlersFn: null, hasHandlers: false };
  const { main, plans } = adaptMain(data, (finding) => findings.push(finding));
  const hasHandlers = plans.length > 0;
  const handlersFn = hasHandlers ? () => createLegacyHandlers(legacySchema, plans) : null;
  return { ...report(findings), main, handlersFn, hasHandlers };
}

function readData(legacySchema: unknown, findings: Finding[]): JsonObject | undefined {
  try {
    const data = toLegacyData(legacySchema);
    if (data !== undefined) return data;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    findings.push(legacyFinding('LEG007', 'schema', `the schema must be plain data beside its handlers: ${reason}`));
  }
  return undefined;
}

function report(findings: readonly Finding[]): CheckResult & { warnings: string[] } {
  const warnings = findings.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
  return { ...checkResult(findings), warnings };
}
