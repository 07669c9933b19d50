/** The name of the fixed body parameter with the operation. It has a hyphen, which names of arguments cannot have. */
export const operationKey = 'graphql-operation';

/**
 * The handlers of a file. They put the arguments into `variables`, where GraphQL expects them, and fail a call without data: such an answer has the
 * status 200.
 */
export function handlersText(tools: readonly string[]): string {
  const entries = tools.map((name) => `  ${name}: graphql,\n`).join('');
  return `${shared}\nexport const handlers = () => ({\n${entries}});\n`;
}

const shared = `// Arguments are variables of the operation. An answer with errors and without data is a failure, whatever
// its HTTP status; one with both is returned as \`{ data, errors }\`.
const graphql = {
  preRequest: ({ struct }) => {
    const { '${operationKey}': query, ...variables } = struct.body;
    return { struct: { ...struct, body: { query, variables } } };
  },
  postRequest: ({ response, struct }) => {
    const { data, errors } = Object(response);
    const problems = errors ?? [];
    const [answer = null] = Object.values(data ?? {});
    if (!data || (answer === null && problems.length > 0)) {
      const messages = problems.slice(0, 5).map(({ message }) => String(message));
      struct.status = false;
      struct.messages = messages.length > 0 ? messages : ['The answer is not one of GraphQL.'];
      return { struct };
    }
    return { response: problems.length > 0 ? { data: answer, errors } : answer };
  },
};
`;
