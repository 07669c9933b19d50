import { isObject } from '../format/json.ts';
import { Validation } from './validation.ts';

/** A test of a route: arguments to call it with. */
export interface RouteTest {
  routeName: string;
  description: string;
  userParams: Record<string, unknown>;
}

/**
 * The tests of all routes of a schema.
 *
 * @throws Error for a schema that breaks the rules of format 1.
 */
export function getAllTests({ schema }: { schema: unknown }): RouteTest[] {
  const { status, messages } = Validation.validateSchema({ schema });
  if (!status) Validation.error({ messages });
  const { routes } = schema as { routes: Record<string, { tests: readonly unknown[] }> };
  return Object.entries(routes).flatMap(([routeName, { tests }]) =>
    tests.filter(isObject).map(({ _description, ...userParams }) => ({
      routeName,
      description: typeof _description === 'string' ? _description : '',
      userParams,
    })),
  );
}
