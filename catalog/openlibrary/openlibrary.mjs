// Open Library of the Internet Archive. Search is described at openlibrary.org/dev/docs/api/search, look-up by ISBN at
// openlibrary.org/dev/docs/api/books; parameters also in static/openapi.json of github.com/internetarchive/openlibrary.

export const main = {
  namespace: 'openlibrary',
  name: 'Open Library',
  description: 'Find books and their authors, and look books up by ISBN and other numbers.',
  version: '3.0.0',
  docs: [
    'https://openlibrary.org/dev/docs/api/search',
    'https://openlibrary.org/dev/docs/api/books',
    'https://openlibrary.org/developers/api',
  ],
  tags: ['knowledge', 'books', 'search'],
  root: 'https://openlibrary.org',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    searchBooks: {
      method: 'GET',
      path: '/search.json',
      description: 'Search works by words in title, author or text. A work stands for all its editions.',
      parameters: [
        {
          position: { key: 'q', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['min(1)', 'describe(Words, also with a field: title:dune, author:herbert, isbn:9780441013593)'],
          },
        },
        {
          position: {
            key: 'fields',
            value: 'key,title,author_name,author_key,first_publish_year,edition_count,cover_i,has_fulltext',
            location: 'query',
          },
          z: { primitive: 'string()', options: [] },
        },
        {
          position: { key: 'sort', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(new,old,random,key)', options: ['optional()', 'describe(By relevance without it)'] },
        },
        {
          position: { key: 'lang', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^[a-z]{2}$)',
              'optional()',
              'describe(Language of the reader, ISO 639-1; prefers its editions)',
            ],
          },
        },
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)'] },
        },
        {
          position: { key: 'page', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'default(1)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            start: { type: 'integer' },
            num_found: { type: 'integer' },
            docs: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  key: { type: 'string', description: 'Such as /works/OL27448W' },
                  title: { type: 'string' },
                  author_name: { type: 'array', description: 'Names' },
                  author_key: { type: 'array', description: 'Such as OL26320A' },
                  first_publish_year: { type: 'integer' },
                  edition_count: { type: 'integer' },
                  cover_i: { type: 'integer', description: 'https://covers.openlibrary.org/b/id/<this>-M.jpg' },
                  has_fulltext: { type: 'boolean' },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'A title', q: 'the lord of the rings', limit: 1 },
        {
          _description: 'Newest of an author, second page',
          q: 'author:tolkien',
          sort: 'new',
          lang: 'fr',
          limit: 2,
          page: 2,
        },
        { _description: 'Nothing', q: 'qqqqqqqqqqqq' },
      ],
    },

    getBooks: {
      method: 'GET',
      path: '/api/books',
      description:
        'Look up editions by ISBN or other numbers: title, authors, publisher, date, pages. Unknown ones are left out.',
      parameters: [
        {
          position: { key: 'bibkeys', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'array()',
            options: [
              'min(1)',
              'max(50)',
              'describe(Such as ISBN:0201558025, LCCN:93005405, OCLC:263296519, OLID:OL123M)',
            ],
          },
        },
        {
          position: { key: 'format', value: 'json', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
        {
          position: { key: 'jscmd', value: 'data', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            books: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  bibkey: { type: 'string', description: 'The one that was asked for' },
                  key: { type: 'string', description: 'Such as /books/OL1429049M' },
                  title: { type: 'string' },
                  subtitle: { type: 'string', nullable: true },
                  authors: { type: 'array', description: 'Names' },
                  publishers: { type: 'array', description: 'Names' },
                  publishDate: { type: 'string', nullable: true, description: 'As printed' },
                  pages: { type: 'integer', nullable: true },
                  subjects: { type: 'array', description: 'The first 20' },
                  identifiers: {
                    type: 'object',
                    description: 'Lists by kind: isbn_10, isbn_13, lccn, oclc and others',
                  },
                  cover: { type: 'string', nullable: true },
                  url: { type: 'string', nullable: true },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'One ISBN', bibkeys: ['ISBN:0201558025'] },
        { _description: 'Two numbers', bibkeys: ['ISBN:9780980200447', 'LCCN:93005405'] },
        { _description: 'An ISBN that nothing has', bibkeys: ['ISBN:0000000000'] },
      ],
    },
  },
};

export const handlers = () => ({
  getBooks: {
    postRequest: ({ response }) => ({ response: { books: Object.entries(response).map(readBook) } }),
  },
});

function readBook([bibkey, book]) {
  return {
    bibkey,
    key: book.key,
    title: book.title,
    subtitle: book.subtitle ?? null,
    authors: namesOf(book.authors),
    publishers: namesOf(book.publishers),
    publishDate: book.publish_date ?? null,
    pages: book.number_of_pages ?? null,
    subjects: namesOf(book.subjects).slice(0, 20),
    identifiers: book.identifiers ?? {},
    cover: book.cover?.medium ?? null,
    url: book.url ?? null,
  };
}

function namesOf(list = []) {
  return list.map(({ name }) => name);
}
