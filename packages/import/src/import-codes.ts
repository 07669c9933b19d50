import type { Finding, Severity } from '@schemakit/core';

export type ImportCode =
  | `IMP00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | `IMP01${0 | 1 | 2 | 3 | 4 | 5 | 6}`
  | `IMP02${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
  | `IMP03${0 | 1 | 2 | 3 | 4}`;

export const importCodes: Readonly<Record<ImportCode, readonly [Severity, string]>> = {
  IMP001: ['error', 'The document is OpenAPI 2.0, 3.0, 3.1 or 3.2.'],
  IMP002: ['error', 'The document is JSON or YAML.'],
  IMP003: ['error', 'The document stays within the limits of size, of depth and of YAML aliases.'],
  IMP004: ['error', 'The document has operations, and the selection matches some of them.'],
  IMP005: ['error', 'The server of the API has an absolute http(s) address.'],
  IMP006: ['error', 'The options are valid.'],
  IMP007: ['error', 'The curl command has an address, and only flags that describe one request.'],
  IMP008: ['warning', 'Each operation has an `operationId` of its own.'],
  IMP009: ['error', 'The recording or collection has requests to an http(s) address.'],
  IMP010: ['warning', 'The method of an operation is one of the format. The operation is left out.'],
  IMP011: ['warning', 'The body of a request can be sent. The operation is left out.'],
  IMP012: ['warning', 'The credentials of an operation can be sent. The operation is left out.'],
  IMP013: ['warning', 'A required parameter can be sent. The operation is left out.'],
  IMP014: ['warning', 'A reference leads to a part of the same document. The operation is left out.'],
  IMP015: ['warning', 'No two operations have the same method and path. The operation is left out.'],
  IMP016: [
    'warning',
    'A tool passes the checks of the format, and its operation those of GraphQL. The operation is left out.',
  ],
  IMP020: ['info', 'An optional parameter or body can be sent. It is left out.'],
  IMP021: ['info', 'A constraint can be written in the format. It is not checked; the API does.'],
  IMP022: ['info', 'A value is not circular, and not too deep or large. Its inner parts may be anything.'],
  IMP023: ['info', 'The first of several servers, credentials or media types is used; the others are not.'],
  IMP024: [
    'info',
    'A part of the document describes requests of the client. Webhooks, subscriptions and the like are not imported.',
  ],
  IMP025: ['info', 'A request of a recording or collection is a call of the API. Others are not imported.'],
  IMP026: ['error', 'The `import.json` of a folder can be read, and its format version is known.'],
  IMP027: ['error', 'No place was changed both by a person and by the document.'],
  IMP028: ['error', 'The files of an import can be read, and are valid after the update.'],
  IMP029: ['error', 'The new document has at least one of the tools.'],
  IMP030: ['error', 'A GraphQL schema is SDL or the answer to an introspection query, and its types are defined.'],
  IMP031: ['warning', 'A GraphQL schema follows the specification.'],
  IMP032: [
    'info',
    'A field of a GraphQL answer is asked for and described. It is left out of the operation, or of `output`.',
  ],
  IMP033: ['info', 'A GraphQL endpoint needs no credentials. Its schema does not say, so that none are sent.'],
  IMP034: ['error', 'It is known where the document can be read again.'],
};

/** A part of a document that the written files do not have, or not fully. */
export interface Omission {
  /** See docs/errors.md. `IMP01…`: a whole operation is left out. */
  code: string;
  /** JSON Pointer (RFC 6901) to the place in the document, after its upgrade to OpenAPI 3.1; of GraphQL a schema coordinate, such as `Pet.owner`. */
  pointer: string;
  message: string;
  /** What to do about it. */
  hint: string;
}

/** A finding about the document. `path` is a JSON Pointer. */
export function importFinding(
  code: ImportCode,
  message: string,
  { path = '', hint }: { path?: string; hint: string },
): Finding {
  return { code, severity: importCodes[code][0], path, message, hint };
}
