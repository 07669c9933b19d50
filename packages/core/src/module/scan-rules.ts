import type { Finding, Severity } from '../schema/finding.ts';

export interface ScanRule {
  code: string;
  severity: Severity;
  title: string;
  /** Why the rule exists, for authors of schemas. */
  explanation: string;
  /** What to do instead. */
  instead: string;
}

// Published codes never change; gaps are codes of checks that run elsewhere.
/** Without a severity, a breach is an error. */
const rules = [
  {
    code: 'MOD001',
    title: 'The file is a JavaScript module.',
    explanation: 'A schema is an ECMAScript module in strict mode. Text that is not one cannot be read.',
    instead: 'Fix the syntax at the reported position.',
  },
  {
    code: 'MOD002',
    title: 'The file is not too large.',
    explanation:
      'A schema describes tools; it is not for data sets. Very large files are refused before they are parsed.',
    instead: 'Move data to a shared list or to a resource.',
  },
  {
    code: 'MOD003',
    severity: 'warning',
    title: 'The file is UTF-8.',
    explanation: 'Bytes that are not UTF-8 are read as replacement characters, as in Node.',
    instead: 'Save the file as UTF-8.',
  },
  {
    code: 'SEC001',
    title: 'No import or re-export.',
    explanation: 'A schema depends only on its arguments, so that it can be read, hashed and moved as one file.',
    instead:
      'Declare libraries in requiredLibraries and take them from the factory: ({ libraries }) => …; take shared values from sharedLists.',
  },
  {
    code: 'SEC002',
    title: 'No require().',
    explanation: 'Schemas do not load modules: a loaded module could do anything that Node can do.',
    instead: 'Declare the library in requiredLibraries and take it from the factory: ({ libraries }) => …',
  },
  {
    code: 'SEC003',
    title: 'No eval().',
    explanation: 'Code that is created from text at run time cannot be reviewed.',
    instead: 'Write the code out; parse data with JSON.parse.',
  },
  {
    code: 'SEC004',
    title: 'No Function constructor.',
    explanation: 'Function() creates code from text at run time, like eval().',
    instead: 'Write the function out.',
  },
  {
    code: 'SEC005',
    title: 'No file system.',
    explanation: 'Schemas describe web APIs and have no access to the files of the machine that runs them.',
    instead: 'Fetch the data over HTTP, or ship it as a resource.',
  },
  {
    code: 'SEC006',
    title: 'No process.',
    explanation:
      'process gives access to the environment of the machine, with the secrets of every other program in it.',
    instead:
      'Name the secret in requiredServerParams and use {{SERVER_PARAM:NAME}} in a parameter or {{NAME}} in a header.',
  },
  {
    code: 'SEC007',
    title: 'No child processes.',
    explanation: 'A schema that starts programs could do anything that its user can do.',
    instead: 'Call a web API that does the same.',
  },
  {
    code: 'SEC008',
    title: 'No global object.',
    explanation: 'The global object gives access to everything by name, so a scan cannot see what is used.',
    instead: 'Use the name itself, for example fetch instead of globalThis.fetch.',
  },
  {
    code: 'SEC009',
    title: 'No file paths.',
    explanation: '__dirname and __filename reveal where the schema is on the machine; they do not exist in modules.',
    instead: 'Leave it out: a schema cannot read files.',
  },
  {
    code: 'SEC010',
    title: 'No new Function().',
    explanation: 'new Function() creates code from text at run time, like eval().',
    instead: 'Write the function out.',
  },
  {
    code: 'SEC011',
    severity: 'info',
    title: 'Timers use up the deadline of the call.',
    explanation: 'Timers are allowed, but a hook is stopped at its deadline, even while it waits.',
    instead: 'Leave retries and back-off to the HTTP client.',
  },
  {
    code: 'SEC012',
    title: 'No CommonJS.',
    explanation: 'module and exports belong to CommonJS; they do not exist in modules.',
    instead: 'Write export const main = … and export const handlers = …',
  },
  {
    code: 'SEC013',
    title: 'Only libraries on the allowlist.',
    explanation: 'A library runs with the permissions of its host, so only known ones are loaded.',
    instead: 'Declare the library in requiredLibraries, and add its name to the allowlist.',
  },
  {
    code: 'SEC014',
    title: 'No import() of computed names, and none outside of handlers.',
    explanation: 'The name of a library must be written out in the text, and loading a schema runs no code.',
    instead: 'Declare the library in requiredLibraries and take it from the factory: ({ libraries }) => …',
  },
  {
    code: 'SEC015',
    severity: 'warning',
    title: 'import() of a library is replaced by the injected library.',
    explanation:
      'A handler may call import() with the name of an allowed library; it gets the same module as with requiredLibraries.',
    instead: 'Declare the library in requiredLibraries and take it from the factory: ({ libraries }) => …',
  },
  {
    code: 'SEC016',
    title: 'No import.meta.',
    explanation: 'import.meta reveals where the schema is on the machine, and resolves other modules.',
    instead: 'Leave it out: a schema cannot read files.',
  },
  {
    code: 'SEC017',
    title: 'No access to constructors and prototypes.',
    explanation:
      'constructor, prototype and the like lead from any value to functions that create code and to objects that all schemas share.',
    instead: 'Use Object.hasOwn(value, key), Array.isArray(value) or typeof instead; create objects with literals.',
  },
  {
    code: 'SEC018',
    title: 'No __proto__.',
    explanation: '__proto__ reads and changes prototypes that objects share.',
    instead: 'Use Object.create(null) or a Map for dictionaries.',
  },
  {
    code: 'SEC019',
    title: 'No shared memory and no WebAssembly.',
    explanation: 'They allow precise timing and code that cannot be reviewed.',
    instead: 'Use plain JavaScript or a library from the allowlist.',
  },
  {
    code: 'SEC021',
    title: 'No connections other than fetch, and no workers.',
    explanation: 'Handlers reach the network only through fetch, which checks where requests go.',
    instead: 'Use fetch.',
  },
  {
    code: 'SEC022',
    severity: 'warning',
    title: 'Names are declared.',
    explanation: 'A name that is neither declared nor provided fails when the code that uses it runs.',
    instead: 'Declare the name, or correct its spelling.',
  },
  {
    code: 'SEC023',
    severity: 'warning',
    title: 'Handlers still work when they are moved into the sandbox.',
    explanation: 'Handlers are extracted from the module and run in a compartment, which refuses some text and syntax.',
    instead: 'Write the reported part in another way.',
  },
  {
    code: 'SEC024',
    title: 'Code that handlers use has no `await` outside of functions.',
    explanation:
      'Handlers are extracted from the module and run as a script, where `await` is not allowed at the top level: none of them would run.',
    instead: 'Await inside the hook that needs the value.',
  },
  {
    code: 'SEC025',
    title: 'No access to the runtime or the operating system.',
    explanation: 'os, vm, Deno and Bun give access to the machine and create code at run time.',
    instead: 'Leave it out: a handler has the input, the response, fetch and its libraries.',
  },
] as const;

export type ScanCode = (typeof rules)[number]['code'];

/** All rules, in the order of their codes. docs/errors.md is generated from this table. */
export const scanRules: readonly ScanRule[] = rules.map((rule) => ({ severity: 'error', ...rule }));

const rulesByCode = new Map<string, ScanRule>(scanRules.map((rule) => [rule.code, rule]));

export function scanSeverity(code: ScanCode): Severity {
  return rulesByCode.get(code)?.severity ?? 'error';
}

/** A finding of a rule in the table. Without a `path` it is about the whole file. */
export function scanFinding(
  code: ScanCode,
  message: string,
  { path = '', ...place }: { line: number; column: number; file: string; path?: string },
): Finding {
  const { instead } = rulesByCode.get(code) ?? {};
  return {
    code,
    severity: scanSeverity(code),
    path,
    message,
    ...(instead !== undefined && { hint: instead }),
    ...place,
  };
}
