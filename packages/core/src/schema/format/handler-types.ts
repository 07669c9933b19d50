import type { SchemaMain } from './format-types.generated.ts';

/** The result of `JSON.parse`. Only the author of a handler knows more about an answer. */
export type Untyped = ReturnType<JSON['parse']>;

type Awaitable<T> = T | Promise<T>;

/** The caller's values by input name. */
export interface HookInputs {
  /** All parameters by key, including fixed ones. Non-enumerable; not in `params`. */
  _allParams?: { [key: string]: Untyped };
  [input: string]: Untyped;
}

interface HookContext {
  /** The caller's checked values, with defaults. */
  params: HookInputs;
  userParams: HookInputs;
  routeName: string;
}

interface WithServerParams {
  /**
   * Placeholders for the secrets. They become the real values when a request leaves. Hidden: not listed with the
   * others.
   */
  serverParams: { [name: string]: string };
}

/** The argument of `preRequest` and `preProcess`: the planned request. */
export interface PreRequestContext extends HookContext, WithServerParams {
  struct: RequestStruct;
  /** What the caller passed. */
  payload: HookInputs;
  phaseType: 'pre';
}

/** The argument of `executeRequest`, which makes the request itself. */
export interface ExecuteRequestContext extends HookContext, WithServerParams {
  /** The result of the call. */
  struct: OutcomeStruct;
  /** The caller's values and the planned request, which wins if names collide. */
  payload: ExecutePayload;
  phaseType: 'execute';
}

export interface PostRequestContext extends HookContext {
  response: Untyped;
  /** The request that was sent, and its result. */
  struct: AnswerStruct;
  /** What the caller passed. */
  payload: HookInputs;
  phaseType: 'post';
}

/** The argument of `postProcess`: the answer, also as text. */
export interface PostProcessContext extends PostRequestContext {
  data: string;
}

interface RequestFields {
  /** The URL with its query. */
  url: string;
  method: string;
  headers: { [name: string]: string };
}

/** A request. Fields that a hook changes or returns in a `struct` replace the planned ones. */
export interface RequestStruct extends RequestFields, WithServerParams {
  /** The body, if any. `null` removes it. */
  body?: Untyped;
  /** Written by a hook: replaces the query. */
  queryParams?: { [name: string]: Untyped };
  /** Written by a hook: replaces the body, as text. */
  requestBody?: string;
  /** Written by a hook: `false` fails the call before anything is sent. */
  status?: boolean;
  /** Empty. Error messages for the caller if the hook sets `status` to false. Non-enumerable. */
  messages: string[];
}

/** The result of a call whose request a hook makes. */
export interface OutcomeStruct {
  /** True. False fails the call. */
  status: boolean;
  /** Empty. Error messages for the caller if the call fails. */
  messages: string[];
  /** Null. The answer goes here. */
  data: Untyped;
  /** Null. */
  dataAsString: string | null;
}

/** The planned request and the caller's values. The request wins if names collide. */
export interface ExecutePayload extends RequestFields, WithServerParams {
  /** The body; null if there is none. */
  body?: Untyped;
  /** What the caller passed. */
  userParams: HookInputs;
  /** All parameters by key, including fixed ones. Non-enumerable. */
  _allParams?: { [key: string]: Untyped };
  [input: string]: Untyped;
}

/** The request that was sent, and its result. */
export interface AnswerStruct extends RequestFields, WithServerParams {
  /** The body, if any. */
  body?: Untyped;
  /** True. False fails the call. */
  status: boolean;
  /** Empty. Error messages for the caller if the call fails. */
  messages: string[];
  data: Untyped;
}

/** The argument of `postRequest` of a query. */
export interface RowsContext {
  response: Untyped;
  struct: { queryName: string; sql: string };
  /** The caller's checked values, with defaults. */
  payload: HookInputs;
}

/** The result of `preRequest`: `params` plans the request again, `struct` changes it; undefined leaves it unchanged. */
export interface PreRequestResult {
  /** New parameters, from which the request is planned again. */
  params?: HookInputs;
  /** Its fields replace the planned ones. */
  struct?: Partial<RequestStruct>;
  /** The input of the hooks that follow. */
  payload?: HookInputs;
}

export interface ExecuteRequestResult {
  /** `data` in it is the answer; `status: false` fails the call with `messages`. */
  struct?: Partial<OutcomeStruct>;
  /** The answer, instead of `struct`. */
  response?: Untyped;
}

/** The result of `postRequest`; undefined leaves the answer unchanged. */
export interface PostRequestResult {
  response?: Untyped;
  /** `data` in it is the answer; `status: false` fails the call with `messages`. */
  struct?: Partial<OutcomeStruct>;
}

export type PreRequest = (context: PreRequestContext) => Awaitable<PreRequestResult | undefined>;

export type ExecuteRequest = (context: ExecuteRequestContext) => Awaitable<ExecuteRequestResult | undefined>;

export type PostRequest = (context: PostRequestContext) => Awaitable<PostRequestResult | undefined>;

/** The older name of `preRequest`; may return the parameters themselves. */
export type PreProcess = (context: PreRequestContext) => Awaitable<HookInputs | undefined>;

/** The older name of `postRequest`, with the answer as text in `data`; may return the new answer itself. */
export type PostProcess = (context: PostProcessContext) => Awaitable<Untyped>;

export interface ToolHandlers {
  /** Runs after the request was planned; may change the parameters or the request. */
  preRequest?: PreRequest;
  /** Runs instead of the request; may make several requests or none. */
  executeRequest?: ExecuteRequest;
  /** Runs after the answer was read; may replace it. */
  postRequest?: PostRequest;
  /** Runs as `preRequest`, if that is absent. */
  preProcess?: PreProcess;
  /** Runs as `postRequest`, if that is absent. */
  postProcess?: PostProcess;
}

/** Runs after a query; may replace its rows. */
export type RowsHook = (context: RowsContext) => Awaitable<Untyped>;

/** The hooks of one database, by the names of its queries. */
export interface ResourceHandlers {
  [query: string]: { postRequest?: RowsHook };
}

type KeysOf<T> = T extends object ? Extract<keyof T, string> : never;
type ToolOf<Main> = Main extends { tools: infer Tools } ? KeysOf<Tools> : never;
type ResourceOf<Main> = Main extends { resources?: infer Resources } ? KeysOf<Resources> : never;

/**
 * The result of the `handlers` factory: hooks by the names of tools and resources. With the type of a `main` that was
 * declared with `satisfies`, other names are type errors.
 */
export type Handlers<Main extends object = SchemaMain> = {
  [Name in ToolOf<Main> | ResourceOf<Main>]?:
    | (Name extends ToolOf<Main> ? ToolHandlers : never)
    | (Name extends ResourceOf<Main> ? ResourceHandlers : never);
};

export interface HandlersOptions {
  /** The entries of each list in `sharedLists`, by the list's name. */
  sharedLists: { [list: string]: readonly { [field: string]: Untyped }[] };
  /** What `requiredLibraries` names, by name. */
  libraries: { [library: string]: Untyped };
}

/**
 * The export `handlers` of a schema file.
 * `HandlersFactory<typeof main>` knows the names of the tools too, if `main` is declared with `@satisfies`.
 */
export type HandlersFactory<Main extends object = SchemaMain> = (options: HandlersOptions) => Handlers<Main>;
