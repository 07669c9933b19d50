import { type FunctionPath, functionMark, type HookPlan, type LegacyPhase } from './hook-plan.ts';

/** What the hooks of both protocols are given, as far as format 1 needs it. */
interface HookInput {
  struct: Record<string, unknown>;
  payload: Record<string, unknown>;
  response?: unknown;
  userParams: Record<string, unknown> & { _allParams?: unknown };
}

/** What handlers of format 1 pass on to each other. */
interface State {
  struct: Record<string, unknown>;
  payload: Record<string, unknown>;
}

type Holder = Record<string | number, unknown>;
type Functions = Record<string | number, (input: unknown) => unknown>;
type Hook = (input: HookInput) => Promise<unknown>;

/** The hooks of format 3 that a tool of a format 1 schema gets. */
export type LegacyHooks = Partial<Record<'preRequest' | 'executeRequest' | 'postRequest', Hook>>;

/**
 * Makes the hooks of a format 1 schema: each runs the handlers of its phase one after the other, with the state that format 1
 * gave them. `struct` is the answer so far, `{ status, messages, data, dataAsString }`; `payload` is the request,
 * `{ requestMethod, url, headers, body, modifiers }`; `userParams` are the caller's values, with all parameters in
 * `_allParams`. A handler changes `struct` and `payload` in place, returns new ones, or both.
 *
 * For files, the text of this function also runs in the sandbox, so it may use its arguments and the language, and nothing else
 * of this module or any other.
 *
 * @param schema - The schema with its functions.
 */
export function createLegacyHandlers(schema: unknown, plans: readonly HookPlan[]): Record<string, LegacyHooks> {
  const newStruct = (data: unknown) => ({ status: true, messages: [], data, dataAsString: null });

  const newPayload = (request: Record<string, unknown>, { modifiers }: HookPlan) => {
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

  /** Some handlers set `messages` to a text. */
  const failure = ({ messages = [] }: Record<string, unknown>) => ({ status: false, messages: [messages].flat() });

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
        // What handlers of this phase write to `userParams`, those of later phases read.
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

/**
 * The handlers of a format 1 file as a script that binds a `handlers` factory, as the sandbox runs it. Every line of the file
 * stays where it was.
 *
 * @param program - A script that binds `schema`.
 */
export function handlerScript(program: string, plans: readonly HookPlan[]): string {
  // Inside of a function, names of the file such as `handlers` are its own.
  return `const handlers = () => {${program}
;return __schemakitLegacyHandlers(schema, ${literal(plans)});};
const __schemakitLegacyHandlers = ${createLegacyHandlers};
`;
}

/** A script that binds `legacyData`, for the schema of a file that only running it can tell. */
export function dataScript(program: string): string {
  return `const legacyData = (() => {${program}
;return JSON.parse(JSON.stringify(schema, (key, value) => typeof value === 'function' ? '${functionMark}' : value));})();
`;
}

/** The hooks that the script gives to tools, by tool. */
export function plannedHookNames(plans: readonly HookPlan[]): Record<string, readonly string[]> {
  // Callers look names up that come from files, so that nothing may be inherited.
  const names: Record<string, readonly string[]> = Object.create(null);
  const given = (hook: string, paths: readonly FunctionPath[]) => (paths.length > 0 ? [hook] : []);
  for (const { tool, pre, execute, post } of plans) {
    names[tool] = [...given('preRequest', pre), ...given('executeRequest', execute), ...given('postRequest', post)];
  }
  return names;
}

/** JSON in a script. SES refuses texts such as `import(` and `<!--` even in strings, so these characters are escaped. */
function literal(plans: readonly HookPlan[]): string {
  const inHexadecimal = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(plans).replace(/[<>(]/g, inHexadecimal);
}
