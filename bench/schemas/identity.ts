/** A schema whose only handler gives back what it gets. */
export function identitySchema({ root, namespace = 'items' }: { root: string; namespace?: string }): string {
  return `export const main = {
  namespace: '${namespace}',
  name: 'Items',
  description: 'All items of a shop.',
  version: '3.0.0',
  root: '${root}',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: {
    getItems: {
      method: 'GET',
      path: '/items/{{USER_PARAM}}',
      description: 'Get so many kilobytes of items.',
      parameters: [
        { position: { key: 'kilobytes', value: '{{USER_PARAM}}', location: 'insert' }, z: { primitive: 'number()', options: [] } },
      ],
    },
  },
};

export const handlers = () => ({
  getItems: {
    postRequest: async ({ response }) => ({ response }),
  },
});
`;
}

/** An answer of an API: so many kilobytes of JSON in small objects. */
export function answerOf(kilobytes: number): { items: object[] } {
  const items: object[] = [];
  for (let size = 0; size < kilobytes * 1000; ) {
    const item = itemOf(items.length);
    items.push(item);
    size += JSON.stringify(item).length + 1;
  }
  return { items };
}

function itemOf(id: number): object {
  return { id, name: `Item ${id}`, price: id * 1.25, tags: ['new', 'small'], open: id % 2 === 0, note: null };
}
