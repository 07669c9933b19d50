// OSV, known vulnerabilities of open source packages. Requests and answers are those of google.github.io/osv.dev/api/. A
// package stands inside the body, where parameters cannot put it: the handlers do. They also keep of each record what tells
// whether and how to upgrade.

const vulnerability = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Such as GHSA-… or PYSEC-…' },
    summary: { type: 'string', nullable: true },
    details: { type: 'string', nullable: true, description: 'The first 1,000 characters, Markdown' },
    aliases: { type: 'array', description: 'Other ids, such as CVE-…' },
    published: { type: 'string', nullable: true },
    modified: { type: 'string' },
    withdrawn: { type: 'string', nullable: true },
    severity: { type: 'array', description: 'Each { type, score } with a CVSS vector' },
    affected: {
      type: 'array',
      description:
        'Each { ecosystem, name, introduced, fixed }: the last two are lists of versions or commits; 0 is from the start, ' +
        'and without a fixed one there is nothing to upgrade to',
    },
    references: { type: 'array', description: 'Addresses' },
  },
};

const vulnerabilities = {
  type: 'object',
  properties: {
    vulns: { type: 'array', items: vulnerability, description: 'Empty when none is known' },
    nextPageToken: { type: 'string', nullable: true, description: 'There is more: pass it as page_token' },
  },
};

const pageToken = {
  position: { key: 'page_token', value: '{{USER_PARAM}}', location: 'body' },
  z: { primitive: 'string()', options: ['optional()', 'describe(nextPageToken of the answer before)'] },
};

export const main = {
  namespace: 'osv',
  name: 'OSV vulnerabilities',
  description: 'Known vulnerabilities of open source packages, by package and version, by commit, or by id.',
  version: '3.0.0',
  docs: [
    'https://google.github.io/osv.dev/post-v1-query/',
    'https://google.github.io/osv.dev/get-v1-vulns/',
    'https://ossf.github.io/osv-schema/',
  ],
  tags: ['security', 'packages', 'development'],
  root: 'https://api.osv.dev/v1',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    queryPackage: {
      method: 'POST',
      path: '/query',
      description: 'List the known vulnerabilities of a package, of one version or of all.',
      parameters: [
        {
          position: { key: 'name', value: '{{USER_PARAM}}', location: 'body' },
          z: {
            primitive: 'string()',
            options: [
              'min(1)',
              'describe(As its ecosystem has it, such as lodash or org.apache.logging.log4j:log4j-core)',
            ],
          },
        },
        {
          position: { key: 'ecosystem', value: '{{USER_PARAM}}', location: 'body' },
          z: {
            primitive: 'string()',
            options: [
              'min(1)',
              'describe(With its capitals: npm, PyPI, Go, Maven, crates.io, RubyGems, NuGet, Packagist, Pub, Hex, Debian:12, Alpine:v3.20, OSS-Fuzz; GIT with the address of a repository as name)',
            ],
          },
        },
        {
          position: { key: 'version', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['min(1)', 'optional()', 'describe(One version; all without it)'] },
        },
        pageToken,
      ],
      output: { mimeType: 'application/json', schema: vulnerabilities },
      tests: [
        { _description: 'One version', name: 'mruby', ecosystem: 'OSS-Fuzz', version: '2.1.2' },
        { _description: 'All versions, with more pages', name: 'nokogiri', ecosystem: 'RubyGems' },
        { _description: 'None is known', name: 'https://github.com/curl/curl.git', ecosystem: 'GIT', version: '8.5.0' },
      ],
    },

    queryCommit: {
      method: 'POST',
      path: '/query',
      description:
        'List the known vulnerabilities of source code at a git commit, whatever package it is part of. For a published ' +
        'version use queryPackage.',
      parameters: [
        {
          position: { key: 'commit', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['regex(^[0-9a-f]{40}$)', 'describe(The full hash)'] },
        },
        pageToken,
      ],
      output: { mimeType: 'application/json', schema: vulnerabilities },
      tests: [
        { _description: 'One that has some', commit: '6879efc2c1596d11a6a6ad296f80063b558d5e0f' },
        { _description: 'One that has none', commit: '0000000000000000000000000000000000000001' },
        {
          _description: 'The next page',
          commit: '6879efc2c1596d11a6a6ad296f80063b558d5e0f',
          page_token: 'a base64 string here',
        },
      ],
    },

    getVulnerability: {
      method: 'GET',
      path: '/vulns/{{id}}',
      description: 'Get one vulnerability by its id: what it is, which packages have it, and where it is fixed.',
      parameters: [
        {
          position: { key: 'id', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'string()',
            options: ['regex(^[A-Za-z0-9][A-Za-z0-9:._-]*$)', 'describe(Such as OSV-2020-111)'],
          },
        },
      ],
      output: { mimeType: 'application/json', schema: vulnerability },
      tests: [
        { _description: 'Of OSS-Fuzz', id: 'OSV-2020-111' },
        { _description: 'With aliases and a severity', id: 'GHSA-jfh8-c2jp-5v3q' },
        { _description: 'Of mruby', id: 'OSV-2020-744' },
      ],
    },
  },
};

export const handlers = () => ({
  queryPackage: {
    preRequest: ({ struct, params: { name, ecosystem, ...rest } }) => ({
      struct: { ...struct, body: { package: { name, ecosystem }, ...rest } },
    }),
    postRequest: readVulnerabilities,
  },
  queryCommit: { postRequest: readVulnerabilities },
  getVulnerability: { postRequest: ({ response }) => ({ response: readVulnerability(response) }) },
});

function readVulnerabilities({ response: { vulns = [], next_page_token: nextPageToken = null } }) {
  return { response: { vulns: vulns.map(readVulnerability), nextPageToken } };
}

function readVulnerability({ id, summary = null, details, aliases = [], published = null, modified, ...rest }) {
  const { withdrawn = null, severity = [], affected = [], references = [] } = rest;
  return {
    id,
    summary,
    details: details?.slice(0, 1000) ?? null,
    aliases,
    published,
    modified,
    withdrawn,
    severity,
    affected: affected.map(readAffected),
    references: references.map(({ url }) => url),
  };
}

function readAffected({ package: { ecosystem = null, name = null } = {}, ranges = [] }) {
  const events = ranges.flatMap((range) => range.events);
  return { ecosystem, name, introduced: valuesOf(events, 'introduced'), fixed: valuesOf(events, 'fixed') };
}

function valuesOf(events, kind) {
  return events.flatMap((event) => (kind in event ? [event[kind]] : []));
}
