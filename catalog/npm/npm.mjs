// The public npm registry. Paths, parameters and answers are those of docs/REGISTRY-API.md and
// docs/responses/package-metadata.md in github.com/npm/registry. The document of a package lists every version with its
// files; the handlers ask for the short form and keep what fits into a conversation.

const packageName = {
  position: { key: 'package', value: '{{USER_PARAM}}', location: 'insert' },
  z: {
    primitive: 'string()',
    options: [
      'regex(^(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$)',
      'max(214)',
      'describe(Such as yargs or @babel/core)',
    ],
  },
};

export const main = {
  namespace: 'npm',
  name: 'npm registry',
  description: 'Search npm packages, see which versions there are, and read what a version declares.',
  version: '3.0.0',
  docs: [
    'https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md',
    'https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md',
  ],
  tags: ['packages', 'javascript', 'development'],
  root: 'https://registry.npmjs.org',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    searchPackages: {
      method: 'GET',
      path: '/-/v1/search',
      description: 'Search packages by words, keywords, author or maintainer, best first.',
      parameters: [
        {
          position: { key: 'text', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'min(1)',
              'describe(Words, also author:bcoe, maintainer:bcoe, keywords:cli,-framework, not:unstable)',
            ],
          },
        },
        {
          position: { key: 'size', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)', 'describe(Most results)'] },
        },
        {
          position: { key: 'from', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(0)', 'default(0)', 'describe(The first result to answer, from 0)'],
          },
        },
        {
          position: { key: 'quality', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(0)', 'max(1)', 'optional()', 'describe(Weight of quality)'] },
        },
        {
          position: { key: 'popularity', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(0)', 'max(1)', 'optional()', 'describe(Weight of popularity)'] },
        },
        {
          position: { key: 'maintenance', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(0)', 'max(1)', 'optional()', 'describe(Weight of maintenance)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            total: { type: 'integer' },
            packages: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  name: { type: 'string' },
                  version: { type: 'string', description: 'The latest' },
                  description: { type: 'string', nullable: true },
                  keywords: { type: 'array' },
                  date: { type: 'string', description: 'When the latest version was published' },
                  publisher: { type: 'string', nullable: true },
                  maintainers: { type: 'array', description: 'User names' },
                  links: { type: 'object', description: 'npm, homepage, repository, bugs' },
                  score: { type: 'number', nullable: true },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'A name', text: 'yargs', size: 1 },
        {
          _description: 'Popular ones of a maintainer',
          text: 'maintainer:bcoe',
          popularity: 1,
          quality: 0,
          maintenance: 0,
        },
        { _description: 'Nothing on the second page', text: 'keywords:qqqqqqqq', from: 10 },
      ],
    },

    getPackage: {
      method: 'GET',
      path: '/{{package}}',
      description:
        'Get which versions of a package there are: tags such as latest, and the newest versions. What a version ' +
        'declares is in getPackageVersion.',
      parameters: [packageName],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            modified: { type: 'string', nullable: true },
            distTags: { type: 'object', description: 'Tag to version; every package has latest' },
            versionCount: { type: 'integer' },
            versions: { type: 'array', items: { type: 'string' }, description: 'The last 100, as published' },
            deprecated: { type: 'string', nullable: true, description: 'The message of the latest version, if it is' },
          },
        },
      },
      tests: [
        { _description: 'One version', package: 'tiny-tarball' },
        { _description: 'With a scope', package: '@slack/client' },
        { _description: 'Several tags', package: 'npm' },
      ],
    },

    getPackageVersion: {
      method: 'GET',
      path: '/{{package}}/{{version}}',
      description:
        'Get what one version of a package declares: dependencies, license, repository, entry point, tarball. ' +
        'getPackage has the version that latest stands for.',
      parameters: [
        packageName,
        {
          position: { key: 'version', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'string()',
            options: ['regex(^[0-9]+\\.[0-9]+\\.[0-9]+[0-9A-Za-z.+-]*$)', 'describe(An exact version, such as 1.0.0)'],
          },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            version: { type: 'string' },
            description: { type: 'string' },
            license: { description: 'SPDX identifier; an object in old packages' },
            homepage: { type: 'string' },
            repository: { description: '{ type, url }, or text in old packages' },
            main: { type: 'string' },
            dependencies: { type: 'object', description: 'Name to range' },
            devDependencies: { type: 'object' },
            peerDependencies: { type: 'object' },
            maintainers: { type: 'array', items: { type: 'object' }, description: 'Each { name, email }' },
            dist: { type: 'object', properties: { shasum: { type: 'string' }, tarball: { type: 'string' } } },
          },
        },
      },
      tests: [
        { _description: 'A small one', package: 'tiny-tarball', version: '1.0.0' },
        { _description: 'With dependencies', package: 'yargs', version: '6.6.0' },
        { _description: 'With a scope', package: '@slack/client', version: '4.0.0' },
      ],
    },
  },
};

export const handlers = () => ({
  searchPackages: {
    postRequest: ({ response: { total, objects } }) => ({ response: { total, packages: objects.map(readResult) } }),
  },
  getPackage: {
    preRequest: ({ struct }) => ({
      struct: {
        ...struct,
        headers: { ...struct.headers, Accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8' },
      },
    }),
    postRequest: ({ response: { name, modified = null, versions, 'dist-tags': distTags } }) => ({
      response: {
        name,
        modified,
        distTags,
        versionCount: Object.keys(versions).length,
        versions: Object.keys(versions).slice(-100),
        deprecated: versions[distTags.latest]?.deprecated ?? null,
      },
    }),
  },
});

function readResult({ package: found, score }) {
  const { name, version, description = null, keywords = [], date, publisher, maintainers = [], links } = found;
  return {
    name,
    version,
    description,
    keywords,
    date,
    publisher: publisher?.username ?? null,
    maintainers: maintainers.map(({ username }) => username),
    links,
    score: score?.final ?? null,
  };
}
