import { curlDocument } from './curl/curl-document.ts';
import { readCurl } from './curl/read-curl.ts';
import { importFinding } from './import-codes.ts';
import { failedImport, type ImportOptions, type ImportResult, importOpenApi } from './import-openapi.ts';

/**
 * Turns a curl command into a schema file with one tool. Numbers in the path and values in the query and the body become parameters, the
 * values its test; credentials become server parameters and are not written. Never throws.
 *
 * @example
 * const { tools } = importCurl("curl 'https://pets.example.com/pets/7?details=true' -H 'Authorization: Bearer $TOKEN'");
 * console.log(tools[0]?.name); // pets__getPetsByPetId
 */
export function importCurl(command: string, options: Pick<ImportOptions, 'namespace'> = {}): ImportResult {
  const read = readCurl(command);
  if (!read.ok) return failedImport([importFinding('IMP007', read.message, { hint: read.hint })]);
  const { hostname } = read.request.url;
  // The host without its subdomains for APIs: api.pets.example.com is `pets`.
  const name = hostname
    .split('.')
    .map((label) => label.toLowerCase().replace(/[^a-z]/g, ''))
    .find((label) => label !== '' && label !== 'api' && label !== 'www');
  return importOpenApi(curlDocument(read.request), { namespace: name?.slice(0, 24) ?? 'api', ...options });
}
