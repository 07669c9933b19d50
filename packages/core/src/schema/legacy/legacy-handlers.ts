import { childPath } from '../finding.ts';
import { type Fields, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';

interface HookInput {
  struct: Fields;
  payload: Fields;
  response?: unknown;
  userParams: Fields & { _allParams?: unknown };
}

interface State {
  struct: Fields;
  payload: Fields;
}

type Holder = Record<string | number, unknown>;
type Functions = Record<string | number, (input: unknown) => unknown>;
type Hook = (input: HookInput) => Promise<unknown>;

export type LegacyHooks = Partial<Record<'preRequest' | 'executeRequest' | 'postRequest', Hook>>;

/**
 * Makes the hooks of a format 1 schema. Each runs the handlers of its phase in order, with the arguments of format 1:
 * `struct` is the answer so far, `{ status, messages, data, dataAsString }`; `payload` is the request, `{
 * requestMethod, url, headers, body, modifiers }`; `userParams` has the caller's values, and all parameters in
 * `_allParams`. A handler changes `struct` and `payload` in place, returns new ones, or both. The source text of this
 * function also runs in the sandbox, so it must not use anything outside of it.
 */
export function createLegacyHandlers(schema: unknown, plans: readonly HookPlan[]): Record<string, LegacyHooks> {
  const newStruct = (data: unknown) => ({ status: true, messages: [], data, dataAsString: null });

  const newPayload = (request: Fields, { modifiers }: HookPlan) => {
    const { method: requestMethod, url, headers, body } = request;
    return { requestMethod, url, headers, body, modifiers };
  };

  const runPhase = async (phaseType: LegacyPhase, state: State, plan: HookPlan, userParams: object): Promise<void> => {
    for (const path of plan[phaseType]) {
      const name = path.at(-1) ?? '';
      const owner = path.slice(0, -1).reduce<unknown>((value, key) => (value as Holder)[key], schema) as Functions;
      const input = { ...state, userParams, routeName: plan.tool, phaseType, phase: phaseType };
      const { struct, payload } = Object(await owner[name]?.(input)) as Partial<State>;
      state.struct = struct ?? state.struct;
      state.payload = payload ?? state.payload;
      if (state.struct.status === false) return;
    }
  };

  /** Some handlers set `messages` to a string. */
  const failure = ({ messages = [] }: Fields) => ({ status: false, messages: [messages].flat() });

  const withAllParams = ({ userParams }: HookInput) => ({ ...userParams, _allParams: userParams._allParams });

  const hooksOf = (plan: HookPlan): LegacyHooks => {
    const hooks: LegacyHooks = {};
    if (plan.pre.length > 0) {
      hooks.preRequest = async (input) => {
        const state = { struct: newStruct(null), payload: newPayload(input.struct, plan) };
        const userParams = withAllParams(input);
        await runPhase('pre', state, plan, userParams);
        if (state.struct.status === false) return { struct: failure(state.struct) };
        const { requestMethod: method, url, headers, body } = state.payload;
        const { _allParams, ...values } = userParams;
        // Later phases see what these handlers write to `userParams`.
        return { struct: { method, url, headers, body: body === undefined ? null : body }, payload: values };
      };
    }
    if (plan.execute.length > 0) {
      hooks.executeRequest = async (input) => {
        const state = { struct: newStruct(null), payload: newPayload(input.payload, plan) };
        await runPhase('execute', state, plan, withAllParams(input));
        return { struct: state.struct.status === false ? failure(state.struct) : state.struct };
      };
    }
    if (plan.post.length > 0) {
      hooks.postRequest = async (input) => {
        const state = { struct: newStruct(input.response), payload: newPayload(input.struct, plan) };
        await runPhase('post', state, plan, withAllParams(input));
        const { status, data = null } = state.struct;
        return status === false ? { struct: failure(state.struct) } : { response: data };
      };
    }
    return hooks;
  };

  return Object.fromEntries(plans.map((plan) => [plan.tool, hooksOf(plan)]));
}

/** A script for the sandbox that binds the `handlers` of a format 1 file. `program` binds `schema`. Line numbers stay the same. */
export function handlerScript(program: string, plans: readonly HookPlan[]): string {
  // Inside a function, the file can have its own name `handlers`.
  return `const handlers = () => {${program}
;return __schemakitLegacyHandlers(schema, ${literal(plans)});};
const __schemakitLegacyHandlers = ${createLegacyHandlers};
`;
}

/** A script that binds `legacyData`, for a schema that must be evaluated. */
export function dataScript(program: string): string {
  return `const legacyData = (() => {${program}
;return JSON.parse(JSON.stringify(schema, (key, value) => typeof value === 'function' ? '${functionMark}' : value));})();
`;
}

export function plannedHookNames(plans: readonly HookPlan[]): Record<string, readonly string[]> {
  // Names from files are looked up in it, so nothing may be inherited.
  const names: Record<string, readonly string[]> = Object.create(null);
  const given = (hook: string, paths: readonly FunctionPath[]) => (paths.length > 0 ? [hook] : []);
  for (const { tool, pre, execute, post } of plans) {
    names[tool] = [...given('preRequest', pre), ...given('executeRequest', execute), ...given('postRequest', post)];
  }
  return names;
}

/** JSON for a script. SES refuses `import(` and `<!--` even in strings, so these characters are escaped. */
function literal(plans: readonly HookPlan[]): string {
  const inHexadecimal = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(plans).replace(/[<>(]/g, inHexadecimal);
}

/** Replaces functions in the data of a schema. */
export const functionMark = '[function]';

/** Converts a schema to plain data: functions become `functionMark`. Undefined if it is no object. Throws what reading it throws. */
export function toLegacyData(schema: unknown): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  return JSON.parse(
    JSON.stringify(schema, (_, value: unknown) => (typeof value === 'function' ? functionMark : value)),
  );
}

export type LegacyPhase = 'pre' | 'execute' | 'post';

/** The path of a function in the schema, such as `['handlers', 'sortByDate']`. */
export type FunctionPath = readonly (string | number)[];

/** The functions that run for a tool, in order. Plain data, so that it can be sent to the sandbox. */
export interface HookPlan extends Record<LegacyPhase, FunctionPath[]> {
  tool: string;
  /** `modifiers` as written; handlers get them in their payload. */
  modifiers: JsonValue[];
}

const phases: readonly string[] = ['pre', 'execute', 'post'] satisfies LegacyPhase[];

interface Route {
  tool: string;
  toolsKey: 'routes' | 'tools';
  handlers: JsonObject;
  report: RuleReport;
}

/** Parses the modifiers of a route. Undefined if none can run. */
export function parseHookPlan(modifiers: JsonValue | undefined, route: Route): HookPlan | undefined {
  if (!Array.isArray(modifiers)) return undefined;
  const plan: HookPlan = { tool: route.tool, modifiers, pre: [], execute: [], post: [] };
  for (const [index, modifier] of modifiers.entries()) {
    const place = `${childPath(`schema.${route.toolsKey}`, route.tool)}.modifiers[${index}]`;
    const phase = isObject(modifier) ? modifier.phase : undefined;
    if (!isObject(modifier) || typeof phase !== 'string' || !phases.includes(phase)) {
      const message = `LegacyAdapter: Route "${route.tool}" has a modifier without a phase; it is skipped`;
      route.report('LEG005', place, message, 'The phases are pre, execute and post.');
      continue;
    }
    const path = functionOf(modifier, index, route);
    if (path !== undefined) plan[phase as LegacyPhase].push(path);
    else reportMissingHandler(modifier, place, route);
  }
  return phases.some((phase) => plan[phase as LegacyPhase].length > 0) ? plan : undefined;
}

/** The function of a modifier: a name in `handlers`, or inline. */
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
