import { isObject } from '@schemakit/core/internal';

/** Where a list of Swagger 2.0 is written in a way that OpenAPI 3 cannot say: its `collectionFormat`. */
export const unsaidFormat = 'x-collection-format';

/** Those that OpenAPI 3 can say. In the path and in headers it has only commas. */
const saidFormats: Readonly<Record<string, readonly string[]>> = {
  query: ['csv', 'ssv', 'pipes', 'multi'],
  formData: ['csv', 'ssv', 'pipes', 'multi'],
};

/** Keeps what the upgrade of Swagger 2.0 would lose: the formats that it drops, and that lists of forms have commas without one. */
export function keepListFormats(document: Record<string, unknown>): void {
  const items = isObject(document.paths) ? Object.values(document.paths).filter(isObject) : [];
  const lists = [document, ...items, ...items.flatMap((item) => Object.values(item).filter(isObject))];
  for (const { parameters } of lists) {
    if (typeof parameters !== 'object' || parameters === null) continue;
    for (const parameter of Object.values(parameters)) {
      if (!isObject(parameter) || parameter.type !== 'array') continue;
      const { collectionFormat = 'csv' } = parameter;
      if (parameter.in === 'formData') parameter.collectionFormat = collectionFormat;
      const said = saidFormats[String(parameter.in)] ?? ['csv'];
      if (!said.includes(String(collectionFormat))) parameter[unsaidFormat] = collectionFormat;
    }
  }
}
