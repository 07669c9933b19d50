// The JSON API of PyPI, as docs.pypi.org/api/json/ describes it. Handlers leave out what is deprecated, shorten the long
// description, and keep the names of releases without their files.

const project = {
  position: { key: 'project', value: '{{USER_PARAM}}', location: 'insert' },
  z: {
    primitive: 'string()',
    options: ['regex(^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$)', 'describe(Such as requests)'],
  },
};

const release = {
  name: { type: 'string' },
  version: { type: 'string' },
  summary: { type: 'string', nullable: true },
  description: { type: 'string', nullable: true, description: 'The first 2,000 characters' },
  license: { type: 'string', nullable: true, description: 'SPDX expression where there is one' },
  author: { type: 'string', nullable: true },
  requiresPython: { type: 'string', nullable: true, description: 'Such as >=3.9' },
  requires: { type: 'array', items: { type: 'string' }, description: 'Dependencies, PEP 508' },
  extras: { type: 'array', items: { type: 'string' } },
  links: { type: 'object', description: 'Label to address' },
  classifiers: { type: 'array', items: { type: 'string' } },
  yanked: { type: 'boolean', description: 'Whether the release was withdrawn' },
  yankedReason: { type: 'string', nullable: true },
  files: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        filename: { type: 'string' },
        kind: { type: 'string', description: 'bdist_wheel or sdist' },
        size: { type: 'integer', description: 'Bytes' },
        uploaded: { type: 'string' },
        sha256: { type: 'string' },
        url: { type: 'string' },
      },
    },
  },
  vulnerabilities: {
    type: 'array',
    items: { type: 'object' },
    description: 'Known ones of this release, with id and details',
  },
  url: { type: 'string' },
};

export const main = {
  namespace: 'pypi',
  name: 'PyPI',
  description: 'Python packages: latest version, releases, dependencies, files and known vulnerabilities.',
  version: '3.0.0',
  docs: ['https://docs.pypi.org/api/json/'],
  tags: ['packages', 'python', 'development'],
  root: 'https://pypi.org/pypi',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    getProject: {
      method: 'GET',
      path: '/{{project}}/json',
      description: 'Get the latest release of a package, and which versions there are.',
      parameters: [project],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            ...release,
            versions: {
              type: 'array',
              items: { type: 'string' },
              description: 'All that were released, in no special order',
            },
          },
        },
      },
      tests: [
        { _description: 'The sample', project: 'sampleproject' },
        { _description: 'Letters in both cases and a dot', project: 'Zope.Interface' },
        { _description: 'One release', project: 'peppercorn' },
      ],
    },

    getRelease: {
      method: 'GET',
      path: '/{{project}}/{{version}}/json',
      description: 'Get one release of a package: its dependencies, files and known vulnerabilities.',
      parameters: [
        project,
        {
          position: { key: 'version', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: ['regex(^[0-9A-Za-z][0-9A-Za-z.!+_-]*$)', 'describe(Such as 4.0.0)'] },
        },
      ],
      output: { mimeType: 'application/json', schema: { type: 'object', properties: release } },
      tests: [
        { _description: 'The sample', project: 'sampleproject', version: '4.0.0' },
        { _description: 'An old one', project: 'sampleproject', version: '1.2.0' },
        { _description: 'The one before', project: 'sampleproject', version: '3.0.0' },
      ],
    },
  },
};

export const handlers = () => ({
  getProject: {
    postRequest: ({ response }) => ({
      response: { ...readRelease(response), versions: Object.keys(response.releases ?? {}) },
    }),
  },
  getRelease: { postRequest: ({ response }) => ({ response: readRelease(response) }) },
});

function readRelease({ info, urls, vulnerabilities }) {
  return {
    name: info.name,
    version: info.version,
    summary: info.summary,
    description: info.description?.slice(0, 2000) ?? null,
    license: info.license_expression || info.license?.slice(0, 200) || null,
    author: info.author || info.author_email || null,
    requiresPython: info.requires_python || null,
    requires: info.requires_dist ?? [],
    extras: info.provides_extra ?? [],
    links: info.project_urls ?? {},
    classifiers: info.classifiers,
    yanked: info.yanked,
    yankedReason: info.yanked_reason,
    files: urls.map(({ filename, packagetype, size, upload_time_iso_8601, digests, url }) => ({
      filename,
      kind: packagetype,
      size,
      uploaded: upload_time_iso_8601,
      sha256: digests.sha256,
      url,
    })),
    vulnerabilities,
    url: info.release_url,
  };
}
