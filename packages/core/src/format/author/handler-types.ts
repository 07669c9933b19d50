import type {
  ExecuteRequestContext,
  HookInputs,
  OutcomeStruct,
  PostProcessContext,
  PostRequestContext,
  PreRequestContext,
  RequestStruct,
  RowsContext,
  SchemaMain,
  Untyped,
} from './data-types.ts';

type Awaitable<T> = T | Promise<T>;

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

/** Runs after the request was planned: other parameters, or another request. Specification 2.5. */
export type PreRequest = (context: PreRequestContext) => Awaitable<PreRequestResult | undefined>;

/** Runs in place of the request: several requests, or none. */
export type ExecuteRequest = (context: ExecuteRequestContext) => Awaitable<ExecuteRequestResult | undefined>;

/** Runs after the answer was read: another answer. Specification 2.5. */
export type PostRequest = (context: PostRequestContext) => Awaitable<PostRequestResult | undefined>;

/** The older name of `preRequest`; may return the parameters themselves. Specification 2.5. */
export type PreProcess = (context: PreRequestContext) => Awaitable<HookInputs | undefined>;

/** The older name of `postRequest`, with the answer as text in `data`; may return the new answer itself. Specification 2.5. */
export type PostProcess = (context: PostProcessContext) => Awaitable<Untyped>;

/** The hooks of one tool. Specification 2.5. */
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
 * declared with `satisfies`, only its own names are keys. Specification 2.5.
 */
export type Handlers<Main extends object = SchemaMain> = {
  [Name in ToolOf<Main> | ResourceOf<Main>]?:
    | (Name extends ToolOf<Main> ? ToolHandlers : never)
    | (Name extends ResourceOf<Main> ? ResourceHandlers : never);
};

/** What the `handlers` factory is given. Specification 2.5. */
export interface HandlersOptions {
  /** The entries of each list in `sharedLists`, by the list's name. */
  sharedLists: { [list: string]: readonly { [field: string]: Untyped }[] };
  /** What `requiredLibraries` names, by name. */
  libraries: { [library: string]: Untyped };
}

/**
 * The export `handlers` of a schema file. Specification 2.5.
 * `HandlersFactory<typeof main>` knows the names of the tools too, where `main` is declared with `@satisfies`.
 */
export type HandlersFactory<Main extends object = SchemaMain> = (options: HandlersOptions) => Handlers<Main>;
