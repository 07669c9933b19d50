/** What an attack does to its victim where nothing stops it. The words stand in docs/security.md. */
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
  | 'takes all memory'
  | 'floods'
  | 'shows paths of the machine'
  | 'tells a secret'
  | 'moves the request'
  | 'adds to the request';

/** What every attack says about itself; the table in docs/security.md is made of it. */
export interface Attack {
  /** What the attacker does. */
  name: string;
  /** Observed in the unprotected control. */
  harm: Harm;
  /** Why the protection does not hold yet. The test is then one that has to fail. */
  broken?: string;
}

/** A schema file that attacks whoever loads it or calls its one tool. */
export interface CodeAttack extends Attack {
  /** The first error with which `loadSchema` refuses the file, or `accepted`. */
  scan: string;
  /** Statements of an async function that is the hook. It sees `context`, `libraries` and `sharedLists`; what it returns is the answer. */
  hook?: string;
  /** Statements of the module, before its exports. */
  top?: string;
  /** Fields of `main` as text; later ones win. */
  main?: string;
  /** The text of the whole file; `%MAIN%` stands for the literal of `main`, `%HANDLERS%` for the factory. */
  module?: string;
  /** Libraries that it declares. */
  libraries?: readonly string[];
  /** `main.root`. Default an address that nobody asks. */
  root?: string;
  /**
   * When the neighbour is called: `once` right after the hook, `later` a while after it, `during` it. `again`: the hook is called
   * once more after the neighbour.
   */
  calls?: 'once' | 'later' | 'during' | 'again';
  /** What the neighbour is like. Default: it uses built-in modules only, and shares the attacker's host. */
  neighbour?: 'with a library';
  /** A part of the language that it needs; it is left out where this Node.js has none. */
  syntax?: string;
  /** True where not even `scan: 'report'` loads the file, so that the sandbox is never reached. */
  unreadable?: boolean;
}

/** An attack that is data: an argument, an answer, or a field of a schema. */
export interface DataAttack extends Attack {
  /** What refuses it, or what becomes of it. */
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
