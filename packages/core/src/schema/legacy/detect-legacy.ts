import { isObject } from '../json.ts';

/** The format of a module: `v3`, `v2`, `v1` or its exact version, or `unknown`. */
export interface DetectedFormat {
  /** True for format 1, which has to be converted. */
  isLegacy: boolean;
  format: string;
}

/**
 * Tells the format of a schema module from its exports: `main` is format 3 or 2, `schema` is format 1.
 * Never throws; what is no schema is `unknown`.
 *
 * @example
 * detectLegacy({ module: { schema: { flowMCP: '1.2.0', routes: {} } } }); // { isLegacy: true, format: 'v1.2.0' }
 */
export function detectLegacy({ module }: { module?: unknown } = {}): DetectedFormat {
  try {
    const { main, schema } = Object(module) as { main?: unknown; schema?: unknown };
    if (isObject(main)) return { isLegacy: false, format: formatOfMain(main.version) };
    if (isObject(schema) && isLegacySchema(schema)) return { isLegacy: true, format: formatOfSchema(schema.flowMCP) };
  } catch {
    // Objects with throwing getters are not schemas.
  }
  return { isLegacy: false, format: 'unknown' };
}

/** Incomplete migrations have `tools` instead of `routes`. */
function isLegacySchema({ flowMCP, routes, tools }: Record<string, unknown>): boolean {
  return typeof flowMCP === 'string' || isObject(routes) || isObject(tools);
}

function formatOfMain(version: unknown): string {
  const [major] = /^[23](?=\.)/.exec(String(version)) ?? [];
  return major === undefined ? 'unknown' : `v${major}`;
}

function formatOfSchema(flowMCP: unknown): string {
  const [version] = typeof flowMCP === 'string' ? (/\d.*$/.exec(flowMCP.trim()) ?? []) : [];
  return `v${version ?? 1}`;
}
