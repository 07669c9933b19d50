// crates.io, the registry of Rust. Paths, parameters and answers are those of crates.io/api/openapi.json. Its data access
// policy asks for a User-Agent that names the program, and for at most one request a second.

const crate = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string', nullable: true },
    default_version: { type: 'string', nullable: true, description: 'The version that the page of the crate shows' },
    num_versions: { type: 'integer' },
    yanked: { type: 'boolean', description: 'Whether all versions were withdrawn' },
    downloads: { type: 'integer' },
    recent_downloads: { type: 'integer', nullable: true, description: 'In the last 90 days' },
    homepage: { type: 'string', nullable: true },
    documentation: { type: 'string', nullable: true },
    repository: { type: 'string', nullable: true },
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
  },
};

export const main = {
  namespace: 'crates',
  name: 'crates.io',
  description: 'Search Rust crates, and see what a crate is, how much it is used, and its current version.',
  version: '3.0.0',
  docs: ['https://crates.io/api/openapi.json', 'https://crates.io/data-access'],
  tags: ['packages', 'rust', 'development'],
  root: 'https://crates.io/api/v1',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: { 'User-Agent': 'SchemaKit/0.1 (catalog schema crates)' },

  tools: {
    searchCrates: {
      method: 'GET',
      path: '/crates',
      description: 'Search crates by words, keyword or category. By relevance, only the first 1,000 can be reached.',
      parameters: [
        {
          position: { key: 'q', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['min(1)', 'optional()', 'describe(Words to search for)'] },
        },
        {
          position: { key: 'sort', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'enum(alphabetical,relevance,downloads,recent-downloads,recent-updates,new)',
            options: ['optional()', 'describe(relevance where there is q, alphabetical otherwise)'],
          },
        },
        {
          position: { key: 'category', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['optional()', 'describe(Only of this category, such as game-development)'],
          },
        },
        {
          position: { key: 'keyword', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['optional()', 'describe(Only with this keyword)'] },
        },
        {
          position: { key: 'page', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'default(1)'] },
        },
        {
          position: { key: 'per_page', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            crates: { type: 'array', items: crate },
            meta: {
              type: 'object',
              properties: {
                total: { type: 'integer' },
                next_page: { type: 'string', nullable: true, description: 'Query of the next page' },
                prev_page: { type: 'string', nullable: true },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'A name', q: 'serde', per_page: 1 },
        {
          _description: 'The most used of a category',
          category: 'game-development',
          sort: 'recent-downloads',
          per_page: 2,
        },
        { _description: 'Nothing', q: 'qqqqqqqqqqqq', keyword: 'cli' },
      ],
    },

    getCrate: {
      method: 'GET',
      path: '/crates/{{name}}',
      description: 'Get a crate by name with its current version: license, features, edition, minimum Rust version.',
      parameters: [
        {
          position: { key: 'name', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'string()',
            options: ['regex(^[A-Za-z][A-Za-z0-9_-]*$)', 'max(64)', 'describe(Such as serde)'],
          },
        },
        {
          position: { key: 'include', value: 'default_version,keywords,categories', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            crate,
            versions: {
              type: 'array',
              nullable: true,
              description: 'The default version alone',
              items: {
                type: 'object',
                properties: {
                  num: { type: 'string' },
                  license: { type: 'string', nullable: true },
                  rust_version: { type: 'string', nullable: true, description: 'The least that compiles it' },
                  edition: { type: 'string', nullable: true },
                  features: { type: 'object', description: 'Feature to what it turns on' },
                  crate_size: { type: 'integer', description: 'Bytes' },
                  downloads: { type: 'integer' },
                  yanked: { type: 'boolean' },
                  created_at: { type: 'string' },
                },
              },
            },
            keywords: { type: 'array', nullable: true, items: { type: 'object' } },
            categories: { type: 'array', nullable: true, items: { type: 'object' } },
          },
        },
      },
      tests: [
        { _description: 'Serde', name: 'serde' },
        { _description: 'With a hyphen', name: 'serde-json-wasm' },
        { _description: 'Without categories', name: 'libc' },
      ],
    },
  },
};
