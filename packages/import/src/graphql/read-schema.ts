import type { Finding } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import {
  buildASTSchema,
  buildClientSchema,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  Kind,
  parse,
  specifiedDirectives,
  validateSchema,
  visit,
} from 'graphql';
import { importFinding } from '../import-codes.ts';
import { maxMebibytes } from '../read/read-document.ts';

type ReadSchema = { ok: true; schema: GraphQLSchema; findings: Finding[] } | { ok: false; finding: Finding };

/** Builds a schema from SDL, or from the answer to an introspection query. What is against the specification is only a warning. */
export function readGraphqlSchema(source: string | object): ReadSchema {
  if (typeof source === 'string' && source.length > maxMebibytes * 2 ** 20) {
    return refuse('IMP003', `the schema is larger than ${maxMebibytes} MiB`, 'Import a part of it.');
  }
  if (typeof source === 'string' && /^[\s\uFEFF]*(<|$)/.test(source)) {
    const problem = source.trim() === '' ? 'the schema is empty' : 'the document is HTML or XML';
    return refuse('IMP030', problem, wanted);
  }
  try {
    const isText = typeof source === 'string' && !/^[\s\uFEFF]*\{/.test(source);
    const build = isText ? sdlBuilder(source) : introspectionBuilder(source);
    const problems = validateSchema(build({ assumeValid: false }));
    // A schema with problems is not taken by `validate`.
    const schema = build({ assumeValid: true });
    return { ok: true, schema, findings: problems.length > 0 ? [invalidSchema(problems)] : [] };
  } catch (error) {
    return refuse('IMP030', describeProblem(error), 'Correct the schema, or ask the endpoint for it again.');
  }
}

/** Whether a text is SDL. A YAML document may have SDL in its descriptions. */
export function isSdl(text: string): boolean {
  if (/^[\s\uFEFF]*[<{]|^["']?(openapi|swagger)\b/m.test(text.slice(0, 1000))) return false;
  return /^[ \t\uFEFF]*(extend\s+)?(type\s+[_A-Za-z]\w*(\s*[{@]|\s+implements\b)|schema\s*[{@])/m.test(text);
}

/** Whether a value is the answer to an introspection query. */
export function isIntrospection(value: Record<string, unknown>): boolean {
  return isObject(value.__schema) || (isObject(value.data) && isObject(value.data.__schema));
}

/**
 * What to ask a GraphQL endpoint for its schema, as the body of a POST request: everything, and what endpoints of any age can answer.
 *
 * @example
 * const [full] = introspectionRequests();
 * console.log(Object.keys(JSON.parse(full))); // [ 'query' ]
 */
export function introspectionRequests(): readonly [full: string, basic: string] {
  const full = { specifiedByUrl: true, schemaDescription: true, inputValueDeprecation: true, oneOf: true };
  return [JSON.stringify({ query: getIntrospectionQuery(full) }), JSON.stringify({ query: getIntrospectionQuery() })];
}

const wanted = 'Give SDL, such as schema.graphql, or the answer of the endpoint to an introspection query.';

type Build = (options: { assumeValid: boolean }) => GraphQLSchema;

function sdlBuilder(text: string): Build {
  const document = withoutUnknownDirectives(parse(text.replace(/^\uFEFF/, '')));
  return (options) => buildASTSchema(document, options);
}

/** Directives say nothing about requests. Those of gateways and generators are often not defined in the document. */
function withoutUnknownDirectives(document: DocumentNode): DocumentNode {
  const own = document.definitions.flatMap((node) =>
    node.kind === Kind.DIRECTIVE_DEFINITION ? [node.name.value] : [],
  );
  const known = new Set([...own, ...specifiedDirectives.map(({ name }) => name)]);
  return visit(document, { Directive: ({ name }) => (known.has(name.value) ? undefined : null) });
}

function introspectionBuilder(source: string | object): Build {
  const value: unknown = typeof source === 'string' ? JSON.parse(source.replace(/^\uFEFF/, '')) : source;
  const answer = isObject(value) && isObject(value.data) ? value.data : value;
  if (!isObject(answer) || !isObject(answer.__schema)) {
    const [refusal] = isObject(value) && Array.isArray(value.errors) ? value.errors : [];
    const reason = isObject(refusal) ? `: ${String(refusal.message)}` : '';
    throw new Error(`the JSON has no \`__schema\`${reason}`);
  }
  return (options) => buildClientSchema(answer as unknown as IntrospectionQuery, options);
}

function describeProblem(error: unknown): string {
  if (error instanceof GraphQLError) {
    const [place] = error.locations ?? [];
    return place === undefined ? error.message : `line ${place.line}, column ${place.column}: ${error.message}`;
  }
  // Several problems have a paragraph each.
  const [first = '', ...others] = (error instanceof Error ? error.message : String(error)).split('\n\n');
  return others.length > 0 ? `${first} (and ${others.length} more)` : first;
}

function invalidSchema(problems: readonly GraphQLError[]): Finding {
  const shown = problems.slice(0, 3).map(describeProblem).join(' ');
  const rest = problems.length > 3 ? ` And ${problems.length - 3} more.` : '';
  return importFinding('IMP031', `the schema is not valid: ${shown}${rest}`, {
    hint: 'What can be asked for is imported. Tell the provider of the API.',
  });
}

function refuse(code: 'IMP003' | 'IMP030', message: string, hint: string): { ok: false; finding: Finding } {
  return { ok: false, finding: importFinding(code, message, { hint }) };
}
