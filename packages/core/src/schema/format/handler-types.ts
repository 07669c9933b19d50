import type { SchemaMain } from './format-types.generated.ts';

/** What `JSON.parse` gives. Only the author of a handler knows more about an answer. */
export type Untyped = ReturnType<JSON['parse']>;

type Awaitable<T> = T | Promise<T>;

/** What the caller passed, by the names of the inputs. */
export interface HookInputs {
  /** Every parameter by its key, fixed ones too. Not in `params`. Hidden: it is not listed with the others. */
  _allParams?: { [key: string]: Untyped };
  [input: string]: Untyped;
}

/** What the hooks of tools are given. */
interface HookContext {
  /** What the caller passed, checked, with defaults. */
  params: HookInputs;
  /** The same. */
  userParams: HookInputs;
  /** The name of the tool. */
  routeName: string;
}

interface WithServerParams {
  /** Stand-ins for the secrets. They become the real values when a request leaves. Hidden: not listed with the others. */
  serverParams: { [name: string]: string };
}

/** What `preRequest` and `preProcess` are given: the planned request. */
export interface PreRequestContext extends HookContext, WithServerParams {
  /** The planned request. */
  struct: RequestStruct;
  /** What the caller passed. */
  payload: HookInputs;
  phaseType: 'pre';
}

/** What `executeRequest` is given: it makes the request itself. */
export interface ExecuteRequestContext extends HookContext, WithServerParams {
  /** What is to come of the call. */
  struct: OutcomeStruct;
  /** What the caller passed, and over it the planned request. */
  payload: ExecutePayload;
  phaseType: 'execute';
}

/** What `postRequest` is given: the answer. */
export interface PostRequestContext extends HookContext {
  /** The answer: a value, or text. */
  response: Untyped;
  /** The request that was sent, and what came of it. */
  struct: AnswerStruct;
  /** What the caller passed. */
  payload: HookInputs;
  phaseType: 'post';
}

/** What `postProcess` is given: the answer, and its text. */
export interface PostProcessContext extends PostRequestContext {
  /** The answer as text. */
  data: string;
}

interface RequestFields {
  /** The URL with its query. */
  url: string;
  /** The HTTP method. */
  method: string;
  headers: { [name: string]: string };
}

/** A request. What a hook writes into it, or returns in a `struct`, replaces what was planned. */
export interface RequestStruct extends RequestFields, WithServerParams {
  /** The body, if there is one. `null` removes it. */
  body?: Untyped;
  /** Written by a hook: replaces the query. */
  queryParams?: { [name: string]: Untyped };
  /** Written by a hook: replaces the body, as text. */
  requestBody?: string;
  /** Written by a hook: `false` fails the call before anything is sent. */
  status?: boolean;
  /** Empty. What callers are told where the hook sets `status` to false. Hidden: not listed with the others. */
  messages: string[];
}

/** What comes of a call, where a hook makes the request. */
export interface OutcomeStruct {
  /** True. False fails the call. */
  status: boolean;
  /** Empty. What callers are told when the call fails. */
  messages: string[];
  /** Null. The answer goes here. */
  data: Untyped;
  /** Null. */
  dataAsString: string | null;
}

/** The planned request, beside what the caller passed. Where the names meet, the request wins. */
export interface ExecutePayload extends RequestFields, WithServerParams {
  /** The body; null if there is none. */
  body?: Untyped;
  /** What the caller passed. */
  userParams: HookInputs;
  /** Every parameter by its key, fixed ones too. Hidden: not listed with the others. */
  _allParams?: { [key: string]: Untyped };
  [input: string]: Untyped;
}

/** The request that was sent, and what came of it. */
export interface AnswerStruct extends RequestFields, WithServerParams {
  /** The body, if there was one. */
  body?: Untyped;
  /** True. False fails the call. */
  status: boolean;
  /** Empty. What callers are told when the call fails. */
  messages: string[];
  /** The answer. */
  data: Untyped;
}

/** What `postRequest` of a query is given: its rows. */
export interface RowsContext {
  /** The rows, as objects. */
  response: Untyped;
  /** The query. */
  struct: { queryName: string; sql: string };
  /** What the caller passed, checked, with defaults. */
  payload: HookInputs;
}

/** What `preRequest` may return. With `params` the request is planned again; with `struct` it is changed; nothing leaves it as it is. */
export interface PreRequestResult {
  /** Other parameters. The request is planned again from them. */
  params?: HookInputs;
  /** What is in it replaces what was planned. */
  struct?: Partial<RequestStruct>;
  /** The input of the hooks that follow. */
  payload?: HookInputs;
}

/** What `executeRequest` may return. */
export interface ExecuteRequestResult {
  /** `data` in it is the answer; `status: false` fails the call with `messages`. */
  struct?: Partial<OutcomeStruct>;
  /** The answer, in place of `struct`. */
  response?: Untyped;
}

/** What `postRequest` may return. Nothing leaves the answer as it is. */
export interface PostRequestResult {
  /** The answer. */
  response?: Untyped;
  /** `data` in it is the answer; `status: false` fails the call with `messages`. */
  struct?: Partial<OutcomeStruct>;
}

/** Runs after the request was planned: other parameters, or another request. */
export type PreRequest = (context: PreRequestContext) => Awaitable<PreRequestResult | undefined>;

/** Runs in place of the request: several requests, or none. */
export type ExecuteRequest = (context: ExecuteRequestContext) => Awaitable<ExecuteRequestResult | undefined>;

/** Runs after the answer was read: another answer. */
export type PostRequest = (context: PostRequestContext) => Awaitable<PostRequestResult | undefined>;

/** The older name of `preRequest`; may return the parameters themselves. */
export type PreProcess = (context: PreRequestContext) => Awaitable<HookInputs | undefined>;

/** The older name of `postRequest`, with the answer as text in `data`; may return the new answer itself. */
export type PostProcess = (context: PostProcessContext) => Awaitable<Untyped>;

/** The hooks of one tool. */
export interface ToolHandlers {
  /** Runs after the request was planned: other parameters, or another request. */
  preRequest?: PreRequest;
  /** Runs in place of the request: several requests, or none. */
  executeRequest?: ExecuteRequest;
  /** Runs after the answer was read: another answer. */
  postRequest?: PostRequest;
  /** Runs as `preRequest`, if that is absent. */
  preProcess?: PreProcess;
  /** Runs as `postRequest`, if that is absent. */
  postProcess?: PostProcess;
}

/** Runs after a query: other rows. */
export type RowsHook = (context: RowsContext) => Awaitable<Untyped>;

/** The hooks of one database, by the names of its queries. */
export interface ResourceHandlers {
  [query: string]: { postRequest?: RowsHook };
}

type KeysOf<T> = T extends object ? Extract<keyof T, string> : never;
type ToolOf<Main> = Main extends { tools: infer Tools } ? KeysOf<Tools> : never;
type ResourceOf<Main> = Main extends { resources?: infer Resources } ? KeysOf<Resources> : never;

/**
 * What the `handlers` factory returns: hooks by the names of tools and resources. Given the type of a `main` that was
 * declared with `satisfies`, only its own names are keys.
 */
export type Handlers<Main extends object = SchemaMain> = {
  [Name in ToolOf<Main> | ResourceOf<Main>]?:
    | (Name extends ToolOf<Main> ? ToolHandlers : never)
    | (Name extends ResourceOf<Main> ? ResourceHandlers : never);
};

/** What the `handlers` factory is given. */
export interface HandlersOptions {
  /** The entries of each list in `sharedLists`, by the list's name. */
  sharedLists: { [list: string]: readonly { [field: string]: Untyped }[] };
  /** What `requiredLibraries` names, by name. */
  libraries: { [library: string]: Untyped };
}

/**
 * The export `handlers` of a schema file.
 * `HandlersFactory<typeof main>` knows the names of the tools too, where `main` is declared with `@satisfies`.
 */
export type HandlersFactory<Main extends object = SchemaMain> = (options: HandlersOptions) => Handlers<Main>;
