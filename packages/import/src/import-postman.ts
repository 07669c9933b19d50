import { convert } from '@scalar/postman-to-openapi';
import { isObject } from '@schemakit/core/internal';
import { importFinding } from './import-codes.ts';
import { failedImport, type ImportOptions, type ImportResult, importDocument } from './import-openapi.ts';
import type { JsonObject } from './read/read-document.ts';
import { secretWords } from './requests/request-document.ts';
import { jsonOf, sampleSchema } from './requests/sample-schema.ts';

/**
 * Turns a Postman collection (2.0 or 2.1) into schema files. Its folders become groups, its variables values, its saved answers `output`.
 * Scripts are not read. Never throws.
 *
 * @see https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 * @example
 * const item = [{ name: 'List pets', request: { method: 'GET', url: '{{base}}/pets' } }];
 * const variable = [{ key: 'base', value: 'https://pets.example.com' }];
 * const { tools } = importPostman({ info: { name: 'Pets' }, variable, item });
 * console.log(tools[0]?.name); // pets__getPets
 */
export function importPostman(collection: object, options: ImportOptions = {}): ImportResult {
  try {
    const resolved = resolveVariables(collection as JsonObject);
    const document = convert(resolved as Parameters<typeof convert>[0]) as unknown as JsonObject;
    readSamples(document);
    // The converter invents one where a collection has none.
    const isInvented = JSON.stringify(document.servers ?? '').includes(inventedHost);
    if (isInvented && !JSON.stringify(resolved).includes(inventedHost)) delete document.servers;
    return importDocument(document, options, { name: 'a Postman collection' });
  } catch (error) {
    const hint = 'Export it again from Postman as Collection v2.1.';
    return failedImport([
      importFinding('IMP009', `the collection cannot be read: ${(error as Error).message}`, { hint }),
    ]);
  }
}

/** Puts the values of variables in, except in `auth`: there are the secrets. An address at the start of a text is left: it is the server. */
function resolveVariables(collection: JsonObject): JsonObject {
  const variables = Array.isArray(collection.variable) ? collection.variable.filter(isObject) : [];
  const values = new Map(
    variables.flatMap(({ key, id, value, disabled }) =>
      disabled === true || typeof value !== 'string' || value === '' ? [] : [[String(key ?? id), value] as const],
    ),
  );
  const fill = (text: string, isServerLeft = false) =>
    text.replace(/\{\{([^{}]+)\}\}/g, (all, name: string, at: number) => {
      const value = values.get(name.trim()) ?? all;
      return isServerLeft && at === 0 && value.startsWith('http') ? all : value;
    });
  // Values that name each other in a circle end somewhere.
  for (const [name, value] of values) values.set(name, fill(value));
  const replace = (value: unknown, depth = 0): unknown => {
    if (typeof value === 'string') return fill(value, true);
    if (depth > maxDepth || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => replace(each, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, key === 'auth' ? each : replace(each, depth + 1)]),
    );
  };
  const filled = variables.map((each) => ({
    ...each,
    ...(typeof each.value === 'string' && { value: fill(each.value) }),
  }));
  const info = { schema: collectionSchema, ...Object(collection.info) };
  return { ...collection, info, variable: filled, item: replace(collection.item) };
}

const collectionSchema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const inventedHost = 'example.com';

/** Deeper than folders, requests and saved answers are. */
const maxDepth = 100;

/** JSON bodies are texts in a collection: what they are is read from them. Answers may have secrets, and give their shape only. */
function readSamples(document: JsonObject): void {
  for (const item of valuesOf(document.paths)) {
    for (const operation of valuesOf(item)) {
      readSecrets(operation, document);
      for (const media of valuesOf(Object(operation.requestBody).content)) readMedia(media, true);
      for (const response of valuesOf(operation.responses)) {
        for (const media of valuesOf(response.content)) readMedia(media, false);
      }
    }
  }
}

/** Keys that a collection has as plain parameters become security schemes, without their values. */
function readSecrets(operation: JsonObject, document: JsonObject): void {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters.filter(isObject) : [];
  const secrets = parameters.filter((parameter) => parameter.in !== 'path' && secretWords.test(String(parameter.name)));
  if (secrets.length === 0) return;
  operation.parameters = parameters.filter((parameter) => !secrets.includes(parameter));
  const schemes = secrets.map(({ name, in: place }) => [String(name), { type: 'apiKey', in: place, name }] as const);
  const components = Object(document.components) as JsonObject;
  const known = Object(components.securitySchemes) as JsonObject;
  document.components = { ...components, securitySchemes: { ...known, ...Object.fromEntries(schemes) } };
  const own = Object.fromEntries(schemes.map(([name]) => [name, []]));
  const others = operation.security ?? document.security;
  operation.security = (Array.isArray(others) && others.length > 0 ? others : [{}]).map((each) => ({
    ...each,
    ...own,
  }));
}

function readMedia(media: JsonObject, isExample: boolean): void {
  const samples = Object.values(Object(media.examples) as JsonObject)
    .map((example) => (isExample && isObject(example) ? example.value : example))
    .map((sample) => (typeof sample === 'string' ? jsonOf(sample) : sample))
    .filter((sample) => typeof sample === 'object' && sample !== null);
  delete media.examples;
  if (samples.length === 0) return;
  media.schema = sampleSchema(samples);
  if (isExample) media.example = samples[0];
}

function valuesOf(value: unknown): JsonObject[] {
  return Object.values(Object(value) as JsonObject).filter(isObject);
}
