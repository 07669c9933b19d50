// A shared list: data that several schemas use. Schemas find it in the `_lists` folder beside or above them.
export const list = {
  meta: {
    name: 'harbours',
    version: '1.0.0',
    description: 'Harbours, and the codes that their offices know them by',
    fields: [
      { key: 'alias', type: 'string', description: 'The name that callers use' },
      { key: 'locode', type: 'string', optional: true, description: 'UN/LOCODE; missing where there is no office' },
    ],
  },
  entries: [
    { alias: 'brest', locode: 'FRBES' },
    { alias: 'dover', locode: 'GBDVR' },
    { alias: 'sark', locode: null },
  ],
};
