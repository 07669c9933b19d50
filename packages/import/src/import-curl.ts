import { hostNamespace } from './group/namespace-of.ts';
import { importFinding } from './import-codes.ts';
import { failedImport, type ImportOptions, type ImportResult, importDocument } from './import-openapi.ts';
import { readCurl } from './requests/read-curl.ts';
import { requestDocument } from './requests/request-document.ts';

/**
 * Turns a curl command into a schema file with one tool. Numbers in the path and values in the query and the body become parameters, the
 * values its test; credentials become server parameters and are not written. Never throws.
 *
 * @example
 * const { tools } = importCurl("curl 'https://pets.example.com/pets/7?details=true' -H 'Authorization: Bearer $TOKEN'");
 * console.log(tools[0]?.name); // pets__getPetsByPetId
 */
export function importCurl(command: string, options: ImportOptions = {}): ImportResult {
  const read = readCurl(command);
  if (!read.ok) return failedImport([importFinding('IMP007', read.message, { hint: read.hint })]);
  const { namespace = hostNamespace(read.request.url.hostname) } = options;
  return importDocument(
    requestDocument([read.request], 'the curl command'),
    { ...options, namespace },
    { name: 'a curl command', examples: 'the values of the curl command' },
  );
}
