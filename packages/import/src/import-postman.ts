import { isObject } from '@schemakit/core/internal';
import { importFinding } from './import-codes.ts';
import { failedImport, type ImportOptions, type ImportResult, importDocument } from './import-openapi.ts';
import type { JsonObject } from './read/read-document.ts';
import { readPostman } from './requests/read-postman.ts';
import { requestDocument } from './requests/request-document.ts';

/**
 * Turns a Postman collection (2.0 or 2.1) into schema files. Its folders become groups, its variables values, its saved answers `output`.
 * Scripts are not read, and no value of a credential is written. Never throws.
 *
 * @example
 * const item = [{ name: 'List pets', request: { method: 'GET', url: '{{base}}/pets' } }];
 * const variable = [{ key: 'base', value: 'https://pets.example.com' }];
 * const { tools } = importPostman({ info: { name: 'Pets' }, variable, item });
 * console.log(tools[0]?.name); // pets__listPets
 */
export function importPostman(collection: object, options: ImportOptions = {}): ImportResult {
  const { info } = collection as JsonObject;
  const { requests, omissions } = readPostman(collection as JsonObject);
  const [first, ...others] = requests;
  if (first === undefined) {
    const message = 'the collection has no request that can be imported';
    const hint = 'Export it again from Postman as Collection v2.1.';
    return failedImport([importFinding('IMP009', message, { hint })], omissions);
  }
  const document = requestDocument([first, ...others], 'the collection');
  const { name: title = 'Collection' } = isObject(info) ? info : {};
  const from = { name: 'a Postman collection', omissions, examples: 'the values of the collection' };
  return importDocument({ ...document, info: { title, version: '1' } }, options, from);
}
