// Wikidata with the Wikibase REST API, version 1. Paths, patterns and fields are those of its OpenAPI document
// (doc.wikimedia.org/Wikibase/master/js/rest-api/). Handlers keep English and drop references: whole items have hundreds of
// languages. The User-Agent policy of Wikimedia asks for a way to contact who runs the client. Data is CC0.

const itemId = {
  position: { key: 'item_id', value: '{{USER_PARAM}}', location: 'insert' },
  z: { primitive: 'string()', options: ['regex(^Q[1-9]\\d{0,9}$)', 'describe(Such as Q42)'] },
};

const texts = {
  label: { type: 'string', nullable: true, description: 'In English; null where there is none' },
  description: { type: 'string', nullable: true },
  aliases: { type: 'array', items: { type: 'string' } },
};

const value = {
  description:
    'Text, an item id, or an object such as { time, precision } or { amount, unit }; null for no or an unknown value',
};

export const main = {
  namespace: 'wikidata',
  name: 'Wikidata',
  description:
    'Facts of Wikidata about people, places, works and things: names, descriptions and statements with their ids.',
  version: '3.0.0',
  docs: [
    'https://www.wikidata.org/wiki/Wikidata:REST_API',
    'https://doc.wikimedia.org/Wikibase/master/js/rest-api/',
    'https://meta.wikimedia.org/wiki/User-Agent_policy',
  ],
  tags: ['knowledge', 'facts'],
  root: 'https://www.wikidata.org/w/rest.php/wikibase/v1',
  requiredServerParams: ['SCHEMAKIT_CONTACT'],
  requiredLibraries: [],
  headers: { 'User-Agent': 'SchemaKit/0.1 ({{SCHEMAKIT_CONTACT}})' },

  tools: {
    getItem: {
      method: 'GET',
      path: '/entities/items/{{item_id}}',
      description: 'Get name, description, other names and Wikipedia article of an item, in English.',
      parameters: [
        itemId,
        {
          position: { key: '_fields', value: 'labels,descriptions,aliases,sitelinks', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            ...texts,
            wikipedia: { type: 'string', nullable: true, description: 'Title of the article in the English Wikipedia' },
          },
        },
      },
      tests: [
        { _description: 'A person', item_id: 'Q42' },
        { _description: 'Another', item_id: 'Q24' },
        { _description: 'The universe', item_id: 'Q1' },
      ],
    },

    getStatements: {
      method: 'GET',
      path: '/entities/items/{{item_id}}/statements',
      description:
        'Get what is stated about an item with one property, such as P31 (instance of), P569 (date of birth), P17 ' +
        '(country), P856 (website). Values of items are ids, which getItem names.',
      parameters: [
        itemId,
        {
          position: { key: 'property', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['regex(^P[1-9]\\d{0,9}$)', 'describe(Such as P31)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            statements: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  id: { type: 'string' },
                  rank: { type: 'string', description: 'preferred, normal or deprecated' },
                  property: { type: 'string' },
                  dataType: { type: 'string', description: 'Such as wikibase-item, time, quantity, url' },
                  value,
                  qualifiers: { type: 'array', description: 'Each { property, value }' },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'What it is', item_id: 'Q42', property: 'P31' },
        { _description: 'With a qualifier', item_id: 'Q24', property: 'P17' },
        { _description: 'Nothing is stated', item_id: 'Q42', property: 'P856' },
      ],
    },
  },
};

export const handlers = () => ({
  getItem: {
    postRequest: ({ response: { id, labels, descriptions, aliases, sitelinks } }) => ({
      response: {
        id,
        label: labels.en ?? null,
        description: descriptions.en ?? null,
        aliases: aliases.en ?? [],
        wikipedia: sitelinks.enwiki?.title ?? null,
      },
    }),
  },
  getStatements: {
    postRequest: ({ response }) => ({ response: { statements: Object.values(response).flat().map(readStatement) } }),
  },
});

function readStatement({ id, rank, property, value, qualifiers }) {
  return {
    id,
    rank,
    property: property.id,
    dataType: property.data_type,
    value: value.content ?? null,
    qualifiers: qualifiers.map((qualifier) => ({
      property: qualifier.property.id,
      value: qualifier.value.content ?? null,
    })),
  };
}
