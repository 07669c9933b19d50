/** The harm of an attack without protection, as in docs/security.md. */
export type Harm =
  | 'reads the environment'
  | 'reads a file'
  | 'writes a file'
  | 'reaches the network'
  | "reads another schema's data"
  | "changes another schema's answers"
  | 'changes the calling process'
  | 'ends the calling process'
  | 'hangs the calling process'
  | 'exhausts memory'
  | 'floods'
  | 'reveals paths of the machine'
  | 'leaks a secret'
  | 'changes the target of the request'
  | 'injects into the request';

/** A row of the tables in docs/security.md. */
export interface Attack {
  /** What the attack does. */
  name: string;
  /** Observed in the unprotected control. */
  harm: Harm;
  /** Why the protection does not work yet. The test is then expected to fail. */
  broken?: string;
}

/** A schema file that attacks the program that loads it or calls its tool. */
export interface CodeAttack extends Attack {
  /** The code of the first error of `loadSchema`, or `accepted`. */
  scan: string;
  /** Statements of the hook, an async function with `context`, `libraries` and `sharedLists`. It returns the result. */
  hook?: string;
  /** Statements of the module, before its exports. */
  top?: string;
  /** Fields of `main` as text; later ones win. */
  main?: string;
  /** Text of the whole file; `%MAIN%` is replaced by the literal of `main`, `%HANDLERS%` by the factory. */
  module?: string;
  /** Declared libraries. */
  libraries?: readonly string[];
  /** `main.root`. Default: an origin that is never called. */
  root?: string;
  /**
   * When the neighbour is called: `once` right after the hook, `later` a while after it, `during` it. `again`: the hook is called
   * once more after the neighbour.
   */
  calls?: 'once' | 'later' | 'during' | 'again';
  /** Default: the neighbour uses built-in modules only, and shares the attacker's host. */
  neighbour?: 'with a library';
  /** Syntax that the attack needs; it is skipped if this Node.js does not support it. */
  syntax?: string;
  /** True if not even `scan: 'report'` loads the file, so that the sandbox is never reached. */
  unreadable?: boolean;
}

/** An attack by data: an argument, a response, or a field of a schema. */
export interface DataAttack extends Attack {
  /** The code of the error, or what happens instead. */
  outcome: string;
}

export interface CodeGroup {
  title: string;
  attacks: readonly CodeAttack[];
}

export interface DataGroup {
  title: string;
  attacks: readonly DataAttack[];
}
