import { dirname, join } from 'node:path';
import type { LibraryPin } from '@schemakit/core';
import { locateLibrary } from '@schemakit/core/internal';
import { type Zippable, zipSync } from 'fflate';
import { type BundledSchema, fileBytes, schemaFiles } from './bundle-schemas.ts';
import type { Omission } from './export-codes.ts';
import { ownPackage, packageClosure, packageFiles } from './package-closure.ts';
import type { JsonObject } from './wire-schema.ts';

export interface BundleOptions {
  /** Of letters, digits, `.`, `_` and `-`. */
  name: string;
  displayName: string;
  version: string;
  description: string;
  author: string;
  license?: string | undefined;
  schemas: readonly BundledSchema[];
  /** References of a group, such as `tides.mjs::tool::getTides`, by file: the parts to serve. Undefined for whole files. */
  parts: ReadonlyMap<string, readonly string[] | undefined>;
  secrets: readonly string[];
  tools: readonly { name: string; description: string }[];
  hasPrompts: boolean;
  /** Libraries that the user allowed handlers, beyond those that all may use. */
  allowed: ReadonlyMap<string, LibraryPin | null>;
}

export interface McpBundle {
  bytes: Uint8Array;
  manifest: JsonObject;
  omissions: Omission[];
  fileCount: number;
}

/** The version that hosts support; 0.4 adds only Python by `uv`, and is experimental. */
const manifestVersion = '0.3';

/** Hosts replace it by the folder of the bundle. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: hosts fill it in.
const here = '${__dirname}';
const entryPoint = 'node_modules/@schemakit/cli/bin/schemakit.js';
const group = 'bundle';
const lockName = 'schemakit.lock.json';

/**
 * An MCP bundle (a zip): the manifest, the schemas as a project with one group, and the command with what it needs to run. The same
 * files give the same bytes. Values of secrets are not known here.
 */
export async function mcpBundle(options: BundleOptions): Promise<McpBundle> {
  const { schemas, parts, allowed } = options;
  const found = await schemaFiles(schemas);
  const omissions = [...found.omissions];
  const entries = new Map<string, Uint8Array>();
  const addJson = (place: string, value: unknown) =>
    entries.set(place, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
  const manifest = bundleManifest(options, { isLocked: found.locked.size > 0 });
  addJson('manifest.json', manifest);
  const tools = [...found.places].flatMap(([file, place]) => {
    const names = parts.get(file);
    return names === undefined ? [place] : names.map((name) => `${place}::${name}`);
  });
  addJson('.schemakit/config.json', { defaultGroup: group });
  addJson(`.schemakit/groups/${group}.json`, { description: options.description, tools });
  if (found.locked.size > 0)
    addJson(lockName, { lockVersion: 1, schemas: Object.fromEntries([...found.locked].sort()) });
  for (const [place, file] of found.files) entries.set(place, fileBytes(file));
  const libraries = await libraryFolders(found.libraries, omissions);
  const pins = [...allowed]
    .filter(([name]) => libraries.has(name))
    .map(([name, pin]) => (pin === null ? name : { name, ...pin }));
  // Without other sources: the server has the tools of the bundle only.
  addJson('home/config.json', { sources: {}, ...(pins.length > 0 && { security: { allowedLibraries: pins } }) });
  const folders = [...libraries.values()];
  for (const { place, folder } of packageClosure([ownPackage, ...folders])) {
    for (const file of packageFiles(folder, { whole: folders.includes(folder) })) {
      entries.set(`node_modules/${place}/${file}`, fileBytes(join(folder, file)));
    }
  }
  return { bytes: zipped(entries), manifest, omissions, fileCount: entries.size };
}

/** The folders of the libraries that handlers use. */
async function libraryFolders(
  libraries: readonly { name: string; file: string }[],
  omissions: Omission[],
): Promise<Map<string, string>> {
  const folders = new Map<string, string>();
  for (const { name, file } of libraries) {
    const located = await locateLibrary(name, [dirname(file), ownPackage, process.cwd()]);
    const [folder] = located?.folders ?? [];
    if (folder !== undefined) folders.set(name, folder);
    else if (located === undefined) {
      const message = `the library ${name} is not installed, and handlers need it`;
      omissions.push({ code: 'EXP014', tool: file, message, hint: `Run: npm install ${name}. Then export again.` });
    }
  }
  return folders;
}

function bundleManifest(options: BundleOptions, { isLocked }: { isLocked: boolean }): JsonObject {
  const { name, displayName, version, description, author, license, secrets, tools, hasPrompts } = options;
  const userConfig = secrets.map((secret) => [
    secret,
    {
      type: 'string',
      title: secret,
      description: `The value of ${secret}, which the API needs.`,
      sensitive: true,
      required: true,
    },
  ]);
  const lock = isLocked ? ['--lock', `${here}/${lockName}`] : [];
  return {
    manifest_version: manifestVersion,
    name,
    ...(displayName !== name && { display_name: displayName }),
    version,
    description,
    author: { name: author },
    ...(license !== undefined && { license }),
    server: {
      type: 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: 'node',
        args: [`${here}/${entryPoint}`, 'run', '--cwd', here, ...lock, '--no-watch'],
        env: {
          // The server reads no settings and no secrets of other projects.
          SCHEMAKIT_HOME: `${here}/home`,
          ...Object.fromEntries(secrets.map((secret) => [secret, `\${user_config.${secret}}`])),
        },
      },
    },
    tools,
    ...(hasPrompts && { prompts_generated: true }),
    ...(secrets.length > 0 && { user_config: Object.fromEntries(userConfig) }),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=22.19' } },
  };
}

/** Sorted, with one date, so that the bytes depend on the files only. */
function zipped(entries: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const mtime = new Date(1980, 0, 1);
  const attrs = 0o644 << 16;
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const files: Zippable = Object.fromEntries(
    sorted.map(([place, bytes]) => [place, [bytes, { mtime, attrs, os: 3, level: 9 }]]),
  );
  return zipSync(files);
}
