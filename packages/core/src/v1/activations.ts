import { isObject } from '../format/json.ts';
import { Validation } from './validation.ts';

/** A schema with the server parameters that it needs. */
export interface ActivationPayload {
  schema: Record<string, unknown>;
  serverParams: Record<string, string>;
  /** Empty: what is missing is thrown. */
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
 * @throws Error for bad arguments, and where a parameter is missing or empty.
 */
export function prepareActivations(options: PrepareActivationsOptions): { activationPayloads: ActivationPayload[] } {
  const deprecated = ['includeNamespaces', 'excludeNamespaces', 'activateTags'].filter((name) =>
    Object.hasOwn(Object(options), name),
  );
  if (deprecated.length > 0) {
    throw new Error(`prepareActivations: ${deprecated.join(', ')} deprecated, use filterArrayOfSchemas before`);
  }
  const { status, messages } = Validation.prepareActivations({ ...options });
  if (!status) Validation.error({ messages });
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
