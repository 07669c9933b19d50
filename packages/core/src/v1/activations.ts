import { type FilterSchemasOptions, filterSchemas } from '../schema/filter-schemas.ts';
import { isObject } from '../schema/json.ts';
import { throwValidation } from './adapted-schema.ts';
import { Validation } from './validation.ts';

export interface ArgvParameters {
  /** Of `--source=<name>`; undefined if it is not given. */
  source: string | undefined;
  includeNamespaces: string[];
  excludeNamespaces: string[];
  activateTags: string[];
}

export interface ArgvOptions {
  /** Default `process.argv`. */
  argv?: readonly string[];
  /** Used if the command line has none. Default none. */
  includeNamespaces?: readonly string[];
  /** Likewise. */
  excludeNamespaces?: readonly string[];
  /** Likewise. */
  activateTags?: readonly string[];
}

/** Reads `--source=name`, `--includeNamespaces=a,b`, `--excludeNamespaces=a,b` and `--activateTags=a,b.c`. */
export function getArgvParameters({
  argv = process.argv,
  includeNamespaces = [],
  excludeNamespaces = [],
  activateTags = [],
}: ArgvOptions = {}): ArgvParameters {
  const textOf = (name: string) =>
    argv.findLast((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  const wordsOf = (name: string, fallback: readonly string[]) => {
    const text = textOf(name);
    const words = text === undefined ? fallback : text.split(',');
    return words.map((word) => word.trim()).filter((word) => word !== '');
  };
  return {
    source: textOf('source'),
    includeNamespaces: wordsOf('includeNamespaces', includeNamespaces),
    excludeNamespaces: wordsOf('excludeNamespaces', excludeNamespaces),
    activateTags: wordsOf('activateTags', activateTags),
  };
}

/** Codes of entries in `activateTags` that no schema has, for which format 1 threw its own messages. */
const tagCodes: readonly string[] = ['FLT004', 'FLT005', 'FLT006', 'FLT007'];

/**
 * Filters schemas by namespace, tag and route, as `filterSchemas` does.
 *
 * @throws Error for bad arguments, and for tags, namespaces and routes in `activateTags` that no schema has.
 */
export function filterArrayOfSchemas<T>(options: Omit<FilterSchemasOptions<T>, 'onReduced'>): {
  filteredArrayOfSchemas: T[];
} {
  const { findings, filteredArrayOfSchemas } = filterSchemas(options);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const messages = errors.map(({ message }) => message);
  if (errors.length === 0) return { filteredArrayOfSchemas };
  if (!errors.every(({ code }) => tagCodes.includes(code))) return throwValidation(messages);
  throw new Error(`Invalid activateTags found:\n- ${messages.join('\n- ')}`);
}

/** A schema with the server parameters that it needs. */
export interface ActivationPayload {
  schema: Record<string, unknown>;
  serverParams: Record<string, string>;
  /** Always empty: missing parameters throw. */
  messages: string[];
}

export interface PrepareActivationsOptions {
  /** Schemas of format 1. */
  arrayOfSchemas: readonly unknown[];
  /** Names to values, such as `process.env`. */
  envObject: Readonly<Record<string, string | undefined>>;
}

/**
 * Takes the server parameters of each schema from an environment.
 *
 * @throws Error for bad arguments, and if a parameter is missing or empty.
 */
export function prepareActivations(options: PrepareActivationsOptions): { activationPayloads: ActivationPayload[] } {
  const deprecated = ['includeNamespaces', 'excludeNamespaces', 'activateTags'].filter((name) =>
    Object.hasOwn(Object(options), name),
  );
  if (deprecated.length > 0) {
    throw new Error(`prepareActivations: ${deprecated.join(', ')} deprecated, use filterArrayOfSchemas before`);
  }
  const { status, messages } = Validation.prepareActivations({ ...options });
  if (!status) throwValidation(messages);
  const { arrayOfSchemas, envObject } = options;
  const missing = new Set<string>();
  const activationPayloads = arrayOfSchemas.filter(isObject).map((schema) => {
    const { requiredServerParams } = schema;
    const names = (Array.isArray(requiredServerParams) ? requiredServerParams : []).map(String);
    const serverParams: Record<string, string> = {};
    for (const name of names) {
      const value = envObject[name];
      if (value === undefined || value === '') missing.add(`Missing ${name} in .env file`);
      else serverParams[name] = value;
    }
    return { schema, serverParams, messages: [] };
  });
  if (missing.size > 0) throw new Error(`Activation preparation failed: ${[...missing].join(', ')}`);
  return { activationPayloads };
}
