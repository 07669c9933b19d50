import { childPath } from '../finding.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';

/** Stands in the data of a schema where a function stood. */
export const functionMark = '[function]';

/**
 * A schema of a program as plain data: functions become `functionMark`, everything else what JSON makes of it.
 * Undefined for what is no object.
 *
 * @throws whatever reading it throws: a getter, a circle, a bigint.
 */
export function toLegacyData(schema: unknown): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  return JSON.parse(
    JSON.stringify(schema, (_, value: unknown) => (typeof value === 'function' ? functionMark : value)),
  );
}

/** The phases of a format 1 call, in their order. */
export type LegacyPhase = 'pre' | 'execute' | 'post';

/** Where a function stands in the schema, such as `['handlers', 'sortByDate']`. */
export type FunctionPath = readonly (string | number)[];

/** The functions that run for one tool, in their order. Plain data, so that it can be sent to the sandbox. */
export interface HookPlan extends Record<LegacyPhase, FunctionPath[]> {
  tool: string;
  /** `modifiers` as written, which handlers find in their payload. */
  modifiers: JsonValue[];
}

const phases: readonly string[] = ['pre', 'execute', 'post'] satisfies LegacyPhase[];

interface Route {
  tool: string;
  /** Its `modifiers` stand at `schema[toolsKey][tool].modifiers`. */
  toolsKey: 'routes' | 'tools';
  handlers: JsonObject;
  report: RuleReport;
}

/** Reads the modifiers of a route. Undefined where none of them can run. */
export function readHookPlan(modifiers: JsonValue | undefined, route: Route): HookPlan | undefined {
  if (!Array.isArray(modifiers)) return undefined;
  const plan: HookPlan = { tool: route.tool, modifiers, pre: [], execute: [], post: [] };
  for (const [index, modifier] of modifiers.entries()) {
    const place = `${childPath(`schema.${route.toolsKey}`, route.tool)}.modifiers[${index}]`;
    const phase = isObject(modifier) ? modifier.phase : undefined;
    if (!isObject(modifier) || typeof phase !== 'string' || !phases.includes(phase)) {
      const message = `LegacyAdapter: Route "${route.tool}" has a modifier without a phase, which is left out`;
      route.report('LEG005', place, message, 'The phases are pre, execute and post.');
      continue;
    }
    const path = functionOf(modifier, index, route);
    if (path !== undefined) plan[phase as LegacyPhase].push(path);
    else reportMissingHandler(modifier, place, route);
  }
  return phases.some((phase) => plan[phase as LegacyPhase].length > 0) ? plan : undefined;
}

/** The function of a modifier: one of `handlers` by its name, or one that stands in the modifier itself. */
function functionOf(
  modifier: JsonObject,
  index: number,
  { tool, toolsKey, handlers }: Route,
): FunctionPath | undefined {
  const inline = ['fn', 'handler', 'handlerName'].find((key) => modifier[key] === functionMark);
  if (inline !== undefined) return [toolsKey, tool, 'modifiers', index, inline];
  const name = nameOf(modifier);
  return Object.hasOwn(handlers, name) && handlers[name] === functionMark ? ['handlers', name] : undefined;
}

function nameOf({ handlerName, handler }: JsonObject): string {
  return String(handlerName ?? handler ?? '');
}

function reportMissingHandler(modifier: JsonObject, place: string, { tool, handlers, report }: Route): void {
  const name = nameOf(modifier);
  const known = Object.keys(handlers).filter((key) => handlers[key] === functionMark);
  const message = `LegacyAdapter: Route "${tool}" modifier references handler "${name}" which was not found`;
  const hint = known.length > 0 ? `The handlers are: ${known.join(', ')}.` : 'The schema has no handlers.';
  report('LEG005', place, message, hint);
}
