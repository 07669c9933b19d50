import { choose, type Question } from '../../output/confirm.ts';

/** What the user has: the description of an API, or a document made of their answers. */
export type Given = { source: string } | { document: object; namespace: string };

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Asks what there is to import. Who has nothing describes one request. */
export async function askForSchema(question: Question): Promise<Given> {
  write('Enter takes the answer in brackets. Nothing is written before the last answer.\n');
  const source = await question('File or address of a description, address of the API, or curl command: [none]');
  if (source !== '' && source !== 'none') return { source };
  write('Then describe one request.\n');
  const namespace = await matching(
    question,
    'Name of the API, letters from a to z:',
    /^[a-z]{1,40}$/,
    'Use 1 to 40 letters from a to z.',
  );
  const server = await askForServer(question);
  const { method, path } = await askForRequest(question);
  const description = (await question(`What does it do? [${method} ${path}]`)) || `${method} ${path}`;
  const parameters = [];
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    const example = await question(`An example of ${name}, for the test: [none]`);
    parameters.push({
      ...{ name, in: 'path', required: true, schema: { type: /^\d{1,15}$/.test(example) ? 'integer' : 'string' } },
      ...(example !== '' && example !== 'none' && { example: /^\d{1,15}$/.test(example) ? Number(example) : example }),
    });
  }
  const scheme = await askForScheme(question);
  const hasBody = /^(POST|PUT|PATCH)$/.test(method);
  const operation = {
    description,
    parameters,
    ...(hasBody && {
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    ...(scheme !== undefined && { security: [{ [scheme.type]: [] }] }),
    responses: { 200: { description: 'The answer', content: { 'application/json': {} } } },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: namespace, version: '1', description: `The API at ${new URL(server).host}.` },
    servers: [{ url: server }],
    paths: { [path]: { [method.toLowerCase()]: operation } },
    ...(scheme !== undefined && { components: { securitySchemes: { [scheme.type]: scheme } } }),
  };
  return { document, namespace };
}

/** Goes above the schema that was made of answers. */
export const nextSteps: string = `// Add next:
// - tools for other requests, beside the one below
// - parameters, in the query, the body or a header: { position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
//   z: { primitive: 'integer()', options: ['optional()', 'describe(How many)'] } }
// - tests: [{ _description: 'The first ten', limit: 10 }]; then \`schemakit test single <file> --update-output\` writes the output
`;

function write(text: string): void {
  process.stderr.write(text);
}

async function matching(question: Question, text: string, pattern: RegExp, hint: string): Promise<string> {
  const answer = await question(text);
  if (pattern.test(answer)) return answer;
  write(`${hint}\n`);
  return matching(question, text, pattern, hint);
}

async function askForServer(question: Question): Promise<string> {
  const answer = await question('Address of the API, such as https://api.example.com/v1:');
  const url = URL.parse(answer);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && !/[{}\s]/.test(answer)) return answer;
  write('Write an http or https address without credentials, query and placeholders.\n');
  return askForServer(question);
}

async function askForRequest(question: Question): Promise<{ method: string; path: string }> {
  const answer = await question('One request, such as GET /pets/{id}:');
  const [, method = 'GET', path = ''] = /^(?:([A-Za-z]+)\s+)?(\/[^\s?#]*)$/.exec(answer) ?? [];
  const isClosed = /^[^{}]*(\{\w+\}[^{}]*)*$/.test(path);
  if (methods.includes(method.toUpperCase()) && path !== '' && isClosed) return { method: method.toUpperCase(), path };
  write(`Write a method (${methods.join(', ')}) and a path that begins with "/"; what varies is a name in braces.\n`);
  return askForRequest(question);
}

/** As a security scheme of OpenAPI. */
async function askForScheme(question: Question): Promise<{ type: string; [field: string]: string } | undefined> {
  const words = ['none', 'bearer', 'header', 'query', 'basic'] as const;
  const how =
    'How does it authenticate: none, bearer (a token), header or query (a key), basic (user and password)? [none]';
  const kind = await choose(question, how, words);
  if (kind === 'none') return undefined;
  if (kind === 'bearer' || kind === 'basic') return { type: 'http', scheme: kind };
  const usual = kind === 'header' ? 'X-Api-Key' : 'api_key';
  const name = await question(`Name of the ${kind === 'header' ? 'header' : 'parameter'}: [${usual}]`);
  return { type: 'apiKey', in: kind, name: name || usual };
}
