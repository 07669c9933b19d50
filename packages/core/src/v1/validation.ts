import { isMcpServer } from '../mcp/registrar.ts';
import { filterSchemas } from '../schema/filter-schemas.ts';
import { isObject } from '../schema/json.ts';
import { convertSchema, throwValidation } from './adapted-schema.ts';
import { schemaProblems } from './schema-rules.ts';

/** What a check says. */
export interface Validated {
  status: boolean;
  messages: string[];
}

/** Arguments of programs in plain JavaScript: anything may be there, or missing. */
type Arguments<Key extends string> = Partial<Record<Key, unknown>>;

/** The checks of format 1, by the method whose arguments they check. They say what is wrong; `error` throws it. */
// biome-ignore lint/complexity/noStaticOnlyClass: format 1 exports a class with static methods
export class Validation {
  /** A schema by the strict rules of format 1: all keys are there, and no others. */
  static validateSchema({ schema }: Arguments<'schema'> = {}): Validated {
    const problems = schemaProblems(schema);
    if (problems.length > 0) return validated(problems);
    const conversion = convertSchema(schema);
    return validated(conversion.ok ? [] : conversion.messages);
  }

  static prepareServerTool(args: Arguments<'schema' | 'serverParams' | 'routeName'> = {}): Validated {
    return withSchema(args, ({ routes, requiredServerParams }) => [
      ...serverParamProblems(args.serverParams, requiredServerParams),
      ...routeProblems(args.routeName, routes),
    ]);
  }

  static activateServerTool(args: Arguments<'server' | 'schema' | 'serverParams' | 'routeName'> = {}): Validated {
    return validated([...serverProblems(args.server), ...Validation.prepareServerTool(args).messages]);
  }

  static activateServerTools(args: Arguments<'server' | 'schema' | 'serverParams'> = {}): Validated {
    const { messages } = withSchema(args, ({ requiredServerParams }) =>
      serverParamProblems(args.serverParams, requiredServerParams),
    );
    return validated([...serverProblems(args.server), ...messages]);
  }

  static fetch(args: Arguments<'schema' | 'userParams' | 'serverParams' | 'routeName'> = {}): Validated {
    const { userParams = {} } = args;
    const { messages } = Validation.prepareServerTool(args);
    return validated([...messages, ...(isObject(userParams) ? [] : ['userParams: Must be an object'])]);
  }

  static prepareActivations({ arrayOfSchemas, envObject }: Arguments<'arrayOfSchemas' | 'envObject'> = {}): Validated {
    return validated([
      ...arrayProblems(arrayOfSchemas),
      ...(isObject(envObject) ? [] : ['envObject: Must be an object']),
    ]);
  }

  static filterArrayOfSchemas(
    options: Arguments<'arrayOfSchemas' | 'includeNamespaces' | 'excludeNamespaces' | 'activateTags'> = {},
  ): Validated {
    const { findings } = filterSchemas(options as Parameters<typeof filterSchemas>[0]);
    const errors = findings.filter(({ severity }) => severity === 'error');
    return validated(errors.map(({ message }) => message));
  }

  /** Throws messages as every method of format 1 throws them. */
  static error({ messages }: { messages: readonly string[] }): never {
    return throwValidation(messages);
  }
}

function validated(messages: readonly string[]): Validated {
  return { status: messages.length === 0, messages: [...messages] };
}

/** Checks the schema, and by it the rest if it is one. */
function withSchema(
  { schema }: Arguments<'schema'>,
  check: (schema: { routes: object; requiredServerParams: readonly string[] }) => string[],
): Validated {
  const { status, messages } = Validation.validateSchema({ schema });
  return status ? validated(check(schema as Parameters<typeof check>[0])) : validated(messages);
}

/** Format 1 wants exactly the server parameters that the schema requires. */
function serverParamProblems(serverParams: unknown, required: readonly string[]): string[] {
  if (!isObject(serverParams)) return ['serverParams: Must be an object'];
  const unknown = Object.keys(serverParams).filter((name) => !required.includes(name));
  const missing = required.filter((name) => serverParams[name] === undefined);
  const empty = required.filter((name) => serverParams[name] !== undefined && !String(serverParams[name] ?? '').trim());
  return [
    ...missing.map((name) => `serverParams.${name}: Missing value`),
    ...empty.map((name) => `serverParams.${name}: Must not be empty`),
    ...unknown.map((name) => `serverParams.${name}: Is not required by the schema`),
  ];
}

function routeProblems(routeName: unknown, routes: object): string[] {
  if (typeof routeName !== 'string') return ['routeName: Must be text'];
  return Object.hasOwn(routes, routeName) ? [] : [`routeName: Route "${routeName}" not found in schema`];
}

function serverProblems(server: unknown): string[] {
  return isMcpServer(server) ? [] : ['server: Must be a server of the MCP SDK'];
}

function arrayProblems(arrayOfSchemas: unknown): string[] {
  if (!Array.isArray(arrayOfSchemas) || arrayOfSchemas.length === 0) return ['Missing or invalid arrayOfSchemas'];
  return arrayOfSchemas.every(isObject) ? [] : ['arrayOfSchemas must be an array of objects'];
}
