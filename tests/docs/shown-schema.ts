/**
 * Makes a whole schema file of a block that shows a part of one:
 *
 * - `schema`: the file itself
 * - `fields`: fields of `main`
 * - `tools`: entries of `main.tools`
 * - `parameters`: entries of a tool's `parameters`
 */
export function shownSchema(kind: string, text: string): string {
  switch (kind) {
    case 'fields':
      return `export const main = { ...${JSON.stringify(rest)}, ${text} };`;
    case 'tools':
      return shownSchema('fields', `tools: { ${text} },`);
    case 'parameters':
      return shownSchema(
        'tools',
        `shown: { method: 'GET', path: '/shown', description: 'Shown.', parameters: [ ${text} ] },`,
      );
    default:
      return text;
  }
}

const rest = {
  namespace: 'shown',
  name: 'Shown',
  description: 'What a block of the documentation leaves out.',
  version: '3.0.0',
  root: 'https://api.example.com',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: { other: { method: 'GET', path: '/other', description: 'Another tool.', parameters: [] } },
};
