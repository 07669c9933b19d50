import { isObject } from '@schemakit/core/internal';
import { isIntrospection, isSdl } from './graphql/read-schema.ts';
import { importCurl } from './import-curl.ts';
import { importGraphql } from './import-graphql.ts';
import { importHar } from './import-har.ts';
import { type ImportOptions, type ImportResult, importOpenApi } from './import-openapi.ts';
import { importPostman } from './import-postman.ts';
import { isCommand } from './requests/read-curl.ts';
import { jsonOf } from './requests/sample-schema.ts';

/**
 * Turns any description of an API into schema files, by what it is: a curl command, a recording (HAR), a Postman collection, a GraphQL
 * schema (SDL or introspection), or an OpenAPI document. Never throws.
 *
 * @example
 * const { tools } = importApi('curl https://pets.example.com/pets');
 * console.log(tools[0]?.name); // pets__getPets
 */
export function importApi(text: string, options: ImportOptions = {}): ImportResult {
  if (isCommand(text)) return importCurl(text, options);
  const value = /^[\s\uFEFF]*\{/.test(text) ? jsonOf(text.trim()) : undefined;
  if (!isObject(value)) return isSdl(text) ? importGraphql(text, options) : importOpenApi(text, options);
  if (isIntrospection(value)) return importGraphql(value, options);
  if (isObject(value.log) && Array.isArray(value.log.entries)) return importHar(value, options);
  if (isObject(value.info) && Array.isArray(value.item)) return importPostman(value, options);
  return importOpenApi(value, options);
}
