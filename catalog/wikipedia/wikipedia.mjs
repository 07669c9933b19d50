// The English Wikipedia: search with the REST API of MediaWiki (mediawiki.org/wiki/API:REST_API/Reference), summaries with
// the one of Wikimedia (mediawiki.org/wiki/Specs/Summary/1.3.0). The User-Agent policy of Wikimedia asks for a way to contact
// who runs the client. Text under CC BY-SA 4.0.

export const main = {
  namespace: 'wikipedia',
  name: 'Wikipedia',
  description: 'Search the English Wikipedia and read summaries of its articles.',
  version: '3.0.0',
  docs: [
    'https://www.mediawiki.org/wiki/API:REST_API/Reference',
    'https://www.mediawiki.org/wiki/Specs/Summary/1.3.0',
    'https://en.wikipedia.org/api/rest_v1/',
    'https://meta.wikimedia.org/wiki/User-Agent_policy',
  ],
  tags: ['knowledge', 'encyclopedia', 'search'],
  root: 'https://en.wikipedia.org',
  requiredServerParams: ['SCHEMAKIT_CONTACT'],
  requiredLibraries: [],
  headers: { 'User-Agent': 'SchemaKit/0.1 ({{SCHEMAKIT_CONTACT}})' },

  tools: {
    searchPages: {
      method: 'GET',
      path: '/w/rest.php/v1/search/page',
      description:
        'Search articles by words in title and text, best first. Answers titles, short descriptions and a piece of text; ' +
        'getSummary has more about one.',
      parameters: [
        {
          position: { key: 'q', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['min(1)', 'describe(Words to search for)'] },
        },
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            pages: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  id: { type: 'integer' },
                  key: { type: 'string', description: 'The title as it stands in addresses; for getSummary' },
                  title: { type: 'string' },
                  excerpt: { type: 'string', nullable: true, description: 'Where the words were found, as plain text' },
                  matched_title: { type: 'string', nullable: true, description: 'Of the redirect that was found' },
                  description: { type: 'string', nullable: true },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'A planet', q: 'jupiter', limit: 1 },
        { _description: 'A redirect', q: 'wooden ships & iron men' },
        { _description: 'Nothing', q: 'qqqqqqqqqqqq', limit: 3 },
      ],
    },

    getSummary: {
      method: 'GET',
      path: '/api/rest_v1/page/summary/{{title}}',
      description:
        'Get the first paragraphs of an article by its title, with a description, coordinates, picture and link.',
      parameters: [
        {
          position: { key: 'title', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: ['min(1)', 'max(255)', 'describe(Such as Barack Obama or AC/DC)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            type: { type: 'string', description: 'standard, disambiguation, no-extract or mainpage' },
            title: { type: 'string' },
            description: { type: 'string', nullable: true },
            extract: { type: 'string', description: 'Plain text' },
            wikidata: { type: 'string', nullable: true, description: 'Item of Wikidata, such as Q76' },
            coordinates: {
              type: 'object',
              nullable: true,
              properties: { lat: { type: 'number' }, lon: { type: 'number' } },
            },
            image: { type: 'string', nullable: true, description: 'Address of a small picture' },
            url: { type: 'string', nullable: true },
            timestamp: { type: 'string', nullable: true, description: 'Of the last change' },
          },
        },
      },
      tests: [
        { _description: 'A person', title: 'Barack Obama' },
        { _description: 'A title with a slash', title: 'AC/DC' },
        { _description: 'A place', title: 'Eiffel_Tower' },
      ],
    },
  },
};

export const handlers = () => ({
  searchPages: {
    postRequest: ({ response }) => ({
      response: {
        pages: response.pages.map(({ id, key, title, excerpt, matched_title, description }) => ({
          id,
          key,
          title,
          excerpt: excerpt === null ? null : plainText(excerpt),
          matched_title,
          description,
        })),
      },
    }),
  },
  getSummary: {
    // Titles stand in addresses with underscores for spaces, and a slash of theirs is no slash of the path.
    preRequest: ({ struct, params }) => ({
      struct: { ...struct, url: new URL(summaryPath(params.title), struct.url).href },
    }),
    postRequest: ({ response }) => ({
      response: {
        type: response.type,
        title: response.title,
        description: response.description ?? null,
        extract: response.extract,
        wikidata: response.wikibase_item ?? null,
        coordinates: response.coordinates ?? null,
        image: response.thumbnail?.source ?? null,
        url: response.content_urls?.desktop?.page ?? null,
        timestamp: response.timestamp ?? null,
      },
    }),
  },
});

function summaryPath(title) {
  return `/api/rest_v1/page/summary/${encodeURIComponent(title.trim().replaceAll(' ', '_'))}`;
}

function plainText(html) {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&amp;', '&');
}
