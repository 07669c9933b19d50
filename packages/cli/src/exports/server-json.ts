import type { Finding } from '@schemakit/core';
import { exportFinding } from './export-codes.ts';
import type { JsonObject } from './wire-schema.ts';

export interface ServerJsonOptions {
  /** Such as `io.github.user/weather`. */
  name: string;
  description: string;
  version: string;
  title?: string | undefined;
  /** Where the code is. */
  repository?: string | undefined;
  /** Of a server that runs. */
  url?: string | undefined;
  /** `name@version` of a package on npm. */
  npm?: string | undefined;
  /** Where a bundle can be downloaded, and its hash. */
  bundle?: { url: string; sha256: string } | undefined;
  secrets: readonly string[];
}

/** The schema of `server.json` that the registry accepts (API v0.1). */
const serverJsonSchema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** Most characters of a description in the registry. */
const maxDescription = 100;

/** The entry of a server in the MCP registry, or why it cannot be written. */
export function serverJson(options: ServerJsonOptions): { document: JsonObject } | { finding: Finding } {
  const finding = problemOf(options);
  if (finding !== undefined) return { finding };
  const { name, title, description, version, repository, url, npm, bundle, secrets } = options;
  const variables = secrets.map((secret) => ({
    name: secret,
    description: `The value of ${secret}, which the API needs.`,
    isRequired: true,
    isSecret: true,
    format: 'string',
  }));
  const transport = { type: 'stdio' };
  const [identifier = '', packageVersion = version] = npm === undefined ? [] : splitPackage(npm);
  const packages = [
    ...(npm === undefined
      ? []
      : [
          {
            ...{ registryType: 'npm', identifier, version: packageVersion, runtimeHint: 'npx', transport },
            ...(variables.length > 0 && { environmentVariables: variables }),
          },
        ]),
    // The host asks for what the manifest in the bundle names.
    ...(bundle === undefined
      ? []
      : [{ registryType: 'mcpb', identifier: bundle.url, fileSha256: bundle.sha256, transport }]),
  ];
  const document = {
    $schema: serverJsonSchema,
    name,
    ...(title !== undefined && { title }),
    description,
    version,
    ...(repository !== undefined && { repository: { url: repository, source: sourceOf(repository) } }),
    ...(packages.length > 0 && { packages }),
    ...(url !== undefined && { remotes: [{ type: 'streamable-http', url }] }),
  };
  return { document };
}

function sourceOf(repository: string): string {
  const { hostname } = new URL(repository);
  return hostname.replace(/^www\./, '').replace(/\.(com|org|net)$/, '');
}

export function splitPackage(npm: string): [name: string, version?: string] {
  const at = npm.indexOf('@', 1);
  return at === -1 ? [npm] : [npm.slice(0, at), npm.slice(at + 1)];
}

function problemOf({
  name,
  title,
  description,
  version,
  repository,
  url,
  npm,
  bundle,
}: ServerJsonOptions): Finding | undefined {
  if (!isReverseDns(name)) {
    const message = `${JSON.stringify(name)} is no name in the MCP registry`;
    return exportFinding('EXP002', message, 'Give a reverse domain and a name: --name io.github.user/server');
  }
  if (description === '' || description.length > maxDescription) {
    const message = `the description has ${description.length} characters; the registry takes 1 to ${maxDescription}`;
    return exportFinding('EXP003', message, `Give a shorter one: --description "…"`);
  }
  if (title !== undefined && (title === '' || title.length > 100)) {
    return exportFinding('EXP004', `--title has ${title.length} characters`, 'Give 1 to 100 characters.');
  }
  const wrongVersion = [version, npm && (splitPackage(npm)[1] ?? version)].find(
    (each) => each !== undefined && !isVersion(each),
  );
  if (wrongVersion !== undefined) {
    const message = `${JSON.stringify(wrongVersion)} is no exact version`;
    return exportFinding('EXP004', message, 'Give three numbers, such as 1.0.2: the registry takes no ranges.');
  }
  if (npm !== undefined && !/^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(splitPackage(npm)[0])) {
    return exportFinding('EXP004', `${JSON.stringify(npm)} is no package on npm`, 'Write --npm @user/server@1.0.0.');
  }
  const wrongUrl = [
    ['--url', url],
    ['--bundle-url', bundle?.url],
    ['--repository', repository],
  ].find(([, each]) => each !== undefined && !isHttps(each));
  if (wrongUrl !== undefined) {
    const message = `${wrongUrl[0]} ${JSON.stringify(wrongUrl[1])} is no https address`;
    return exportFinding(
      'EXP004',
      message,
      'Clients of the registry connect from other machines: give an https address.',
    );
  }
  if (url === undefined && npm === undefined && bundle === undefined) {
    const hint = 'Add --npm <package>, --url <https address of the server>, or --bundle <file> with --bundle-url.';
    return exportFinding('EXP004', 'the entry says neither where the server is nor how to install it', hint);
  }
  return undefined;
}

/** At least two labels, then one slash and a name. The schema of the registry allows one label, its server does not. */
function isReverseDns(name: string): boolean {
  const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
  const isShaped = new RegExp(`^${label}(?:\\.${label})+/[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?$`).test(name);
  return isShaped && name.length <= 200;
}

export function isVersion(version: string): boolean {
  return /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.test(version);
}

function isHttps(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && !/\s/.test(text);
}

/** Cuts a text at a word. */
export function cutDescription(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxDescription) return line;
  const cut = line.slice(0, maxDescription - 1);
  const words = cut.slice(0, Math.max(cut.lastIndexOf(' '), 0)) || cut.toWellFormed().replace(/\ufffd$/, '');
  return `${words.replace(/[\s,;:.–-]+$/, '')}…`;
}
