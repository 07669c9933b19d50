import { hostNamespace } from './group/namespace-of.ts';
import { importFinding } from './import-codes.ts';
import { failedImport, type ImportOptions, type ImportResult, importDocument } from './import-openapi.ts';
import type { JsonObject } from './read/read-document.ts';
import { readHar } from './requests/read-har.ts';
import { requestDocument } from './requests/request-document.ts';

/**
 * Turns a recording of a browser or proxy (HAR 1.2) into schema files: the requests to the host that was asked most and answered with JSON.
 * Requests that differ only in values are one tool. Credentials become server parameters and are not written, nor are answers. Never throws.
 *
 * @example
 * const request = { method: 'GET', url: 'https://api.pets.example.com/pets/7', headers: [] };
 * const response = { status: 200, content: { mimeType: 'application/json', text: '{"id":7,"name":"Rex"}' } };
 * const { tools } = importHar({ log: { entries: [{ request, response }] } });
 * console.log(tools[0]?.name); // pets__getPetsByPetId
 */
export function importHar(recording: object, options: ImportOptions = {}): ImportResult {
  const { requests, omissions } = readHar(recording as JsonObject);
  const [first, ...others] = requests;
  if (first === undefined) {
    const hint = 'Record again while the page loads its data, and export with contents ("HAR with content").';
    return failedImport([importFinding('IMP009', 'no recorded request was answered with JSON', { hint })], omissions);
  }
  const { namespace = hostNamespace(first.url.hostname) } = options;
  return importDocument(
    requestDocument([first, ...others], 'the recording'),
    { ...options, namespace },
    { name: 'a recording (HAR)', omissions, examples: 'the values of the recording' },
  );
}
