// arXiv e-prints. Parameters, the Atom answer and its errors are those of the API User's Manual at info.arxiv.org. The manual
// asks for at most one request every three seconds, and for few results at a time. Handlers make JSON of the Atom feed.

const feed = {
  type: 'object',
  properties: {
    total: { type: 'integer', description: 'How many papers match in all' },
    start: { type: 'integer' },
    papers: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'Such as 2101.00001v1 or hep-ex/0307015v1' },
          title: { type: 'string' },
          abstract: { type: 'string' },
          authors: { type: 'array', description: 'Names in their order' },
          published: { type: 'string', description: 'When the first version was processed' },
          updated: { type: 'string', description: 'When this version was processed' },
          primaryCategory: { type: 'string', nullable: true, description: 'Such as cs.LG' },
          categories: { type: 'array', description: 'Codes, those of other classifications among them' },
          comment: { type: 'string', nullable: true },
          journalRef: { type: 'string', nullable: true },
          doi: { type: 'string', nullable: true },
          url: { type: 'string', nullable: true },
          pdf: { type: 'string', nullable: true },
        },
      },
    },
  },
};

export const main = {
  namespace: 'arxiv',
  name: 'arXiv',
  description:
    'Search papers on arXiv and read their abstracts: physics, mathematics, computer science and neighbouring fields.',
  version: '3.0.0',
  docs: ['https://info.arxiv.org/help/api/user-manual.html', 'https://info.arxiv.org/help/api/tou.html'],
  tags: ['science', 'papers', 'search'],
  root: 'https://export.arxiv.org/api',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    searchPapers: {
      method: 'GET',
      path: '/query',
      description:
        'Search papers by words in title, abstract, author or category. Wait three seconds between calls; results ' +
        'change once a day.',
      parameters: [
        {
          position: { key: 'search_query', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'min(1)',
              'describe(Terms with a field before them: ti: title, au: author, abs: abstract, co: comment, jr: journal, cat: category, all: any; joined by AND, OR, ANDNOT, phrases in quotes, such as ti:"electron thermal conductivity" AND cat:cond-mat.mtrl-sci)',
            ],
          },
        },
        {
          position: { key: 'start', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(0)', 'default(0)', 'describe(The first result to answer, from 0)'],
          },
        },
        {
          position: { key: 'max_results', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)'] },
        },
        {
          position: { key: 'sortBy', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(relevance,lastUpdatedDate,submittedDate)', options: ['default(relevance)'] },
        },
        {
          position: { key: 'sortOrder', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(ascending,descending)', options: ['default(descending)'] },
        },
      ],
      output: { mimeType: 'application/json', schema: feed },
      tests: [
        { _description: 'One word anywhere', search_query: 'all:electron', max_results: 1 },
        {
          _description: 'A phrase in the title, oldest first',
          search_query: 'ti:"electron thermal conductivity"',
          sortBy: 'lastUpdatedDate',
          sortOrder: 'ascending',
        },
        { _description: 'Nothing matches', search_query: 'all:qqqqqqqq AND cat:cs.LG', start: 10 },
      ],
    },

    getPapers: {
      method: 'GET',
      path: '/query',
      description: 'Get papers by their arXiv ids, with abstracts. An id without a version gives the latest version.',
      parameters: [
        {
          position: { key: 'id_list', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'array()',
            options: ['min(1)', 'max(50)', 'describe(Ids such as 0710.5765v1 or hep-ex/0307015)'],
          },
        },
        {
          position: { key: 'max_results', value: '50', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
      ],
      output: { mimeType: 'application/json', schema: feed },
      tests: [
        { _description: 'One paper', id_list: ['hep-ex/0307015'] },
        { _description: 'Two versions', id_list: ['cs/9901002v1', '0710.5765v1'] },
        { _description: 'A second version', id_list: ['cond-mat/0702661v2'] },
      ],
    },
  },
};

export const handlers = () => ({
  searchPapers: { postRequest: readFeed },
  getPapers: { postRequest: readFeed },
});

function readFeed({ response, struct }) {
  const entries = [...response.matchAll(/<entry\b[^>]*>([\s\S]*?)<\/entry>/g)].map(([, entry]) => entry);
  // An error is a feed with one entry whose id is a link to the explanation.
  const error = entries.find((entry) => /\/api\/errors\b/.test(textOf(entry, 'id')));
  if (error !== undefined) {
    struct.status = false;
    struct.messages.push(textOf(error, 'summary'));
    return { struct };
  }
  const total = Number(textOf(response, 'opensearch:totalResults'));
  const start = Number(textOf(response, 'opensearch:startIndex'));
  return { response: { total, start, papers: entries.map(readPaper) } };
}

function readPaper(entry) {
  return {
    id: textOf(entry, 'id').replace(/^https?:\/\/arxiv\.org\/abs\//, ''),
    title: textOf(entry, 'title'),
    abstract: textOf(entry, 'summary'),
    authors: [...entry.matchAll(/<author\b[^>]*>([\s\S]*?)<\/author>/g)].map(([, author]) => textOf(author, 'name')),
    published: textOf(entry, 'published'),
    updated: textOf(entry, 'updated'),
    primaryCategory: attributeOf(entry.match(/<arxiv:primary_category\b[^>]*>/)?.[0], 'term'),
    categories: [...entry.matchAll(/<category\b[^>]*>/g)].map(([tag]) => attributeOf(tag, 'term')),
    comment: textOf(entry, 'arxiv:comment'),
    journalRef: textOf(entry, 'arxiv:journal_ref'),
    doi: textOf(entry, 'arxiv:doi'),
    url: linkOf(entry, 'rel="alternate"'),
    pdf: linkOf(entry, 'title="pdf"'),
  };
}

/** The text of the first element of a name, its white space made plain; null where there is none. */
function textOf(xml, name) {
  const found = new RegExp(`<${name}\\b[^>]*>([\\s\\S]*?)</${name}>`).exec(xml);
  return found === null ? null : unescapeXml(found[1]).replace(/\s+/g, ' ').trim();
}

function linkOf(entry, mark) {
  const tag = entry.match(/<link\b[^>]*>/g)?.find((link) => link.includes(mark));
  return attributeOf(tag, 'href');
}

function attributeOf(tag = '', name) {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag);
  return found === null ? null : unescapeXml(found[1]);
}

function unescapeXml(text) {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
