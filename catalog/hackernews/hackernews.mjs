// Hacker News, as github.com/HackerNews/API describes it. A list has only ids, so `listStories` also reads the first items:
// one request and one more for each story.

const item = {
  id: { type: 'integer' },
  type: { type: 'string', description: 'job, story, comment, poll or pollopt' },
  by: { type: 'string' },
  time: { type: 'integer', description: 'Unix seconds' },
  title: { type: 'string' },
  text: { type: 'string', description: 'HTML' },
  url: { type: 'string' },
  score: { type: 'integer' },
  descendants: { type: 'integer', description: 'Comments in all' },
};

export const main = {
  namespace: 'hackernews',
  name: 'Hacker News',
  description: 'Stories, comments, jobs and users of Hacker News.',
  version: '3.0.0',
  docs: ['https://github.com/HackerNews/API'],
  tags: ['news', 'technology'],
  root: 'https://hacker-news.firebaseio.com/v0',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    listStories: {
      method: 'GET',
      path: '/{{list}}.json',
      description:
        'List the first stories of the front page, the newest, or those of Ask HN, Show HN or jobs, with their titles.',
      parameters: [
        {
          position: { key: 'list', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'enum(topstories,newstories,askstories,showstories,jobstories)',
            options: ['default(topstories)'],
          },
        },
        // Goes nowhere by itself: the handler reads so many.
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'number()', options: ['min(1)', 'max(30)', 'default(10)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            total: { type: 'integer', description: 'How many the list has' },
            stories: { type: 'array', items: { type: 'object', properties: item } },
          },
        },
      },
      tests: [
        { _description: 'The front page', limit: 2 },
        { _description: 'A question', list: 'askstories', limit: 1 },
        { _description: 'More than there are, one of them gone', list: 'jobstories', limit: 5 },
      ],
    },

    getItem: {
      method: 'GET',
      path: '/item/{{id}}.json',
      description:
        'Get a story, comment, job or poll by its id, with the ids of its comments. Null when there is none.',
      parameters: [
        {
          position: { key: 'id', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'number()', options: ['min(1)', 'describe(An id of listStories, or of kids)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          nullable: true,
          properties: {
            ...item,
            parent: { type: 'integer' },
            kids: { type: 'array', items: { type: 'integer' }, description: 'Comments in their order' },
            parts: { type: 'array', items: { type: 'integer' }, description: 'Options of a poll' },
            poll: { type: 'integer' },
            deleted: { type: 'boolean' },
            dead: { type: 'boolean' },
          },
        },
      },
      tests: [
        { _description: 'A story', id: 8863 },
        { _description: 'A comment', id: 2921983 },
        { _description: 'A poll', id: 126809 },
      ],
    },

    getUser: {
      method: 'GET',
      path: '/user/{{id}}.json',
      description: 'Get a user: karma, since when, what they say about themselves, and the last things they wrote.',
      parameters: [
        {
          position: { key: 'id', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: ['regex(^[A-Za-z0-9_-]+$)', 'describe(The name, with its capitals)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          nullable: true,
          properties: {
            id: { type: 'string' },
            created: { type: 'integer', description: 'Unix seconds' },
            karma: { type: 'integer' },
            about: { type: 'string', description: 'HTML' },
            submitted: { type: 'array', items: { type: 'integer' }, description: 'The last 30 ids' },
          },
        },
      },
      tests: [
        { _description: 'A user', id: 'jl' },
        { _description: 'One that says nothing', id: 'pg' },
        { _description: 'Nobody', id: 'nobody-is-called-so' },
      ],
    },
  },
};

export const handlers = () => ({
  listStories: {
    executeRequest: async ({ payload, params }) => {
      const ids = await readJson(payload.url);
      const found = await Promise.all(
        ids.slice(0, params.limit).map((id) => readJson(new URL(`item/${id}.json`, payload.url).href)),
      );
      const stories = found.filter((story) => story !== null).map(({ kids, ...story }) => story);
      return { response: { total: ids.length, stories } };
    },
  },
  getUser: {
    postRequest: ({ response }) => ({
      response: response && { ...response, submitted: response.submitted?.slice(0, 30) ?? [] },
    }),
  },
});

async function readJson(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`Hacker News answered ${response.status}`);
  return response.json();
}
