import { childPath, type Finding } from '../format/finding.ts';
import type { Resource } from '../format/resource.ts';
import { resourceFinding } from '../format/resource-codes.ts';
import { type LocateOptions, locateFile } from './locate-file.ts';

/**
 * A warning for each resource whose file is in none of its places, or where its schema may not read. It says where the file
 * was looked for: a file may still come, since it is looked for again at each call. Documents on the web are not asked for.
 */
export async function findMissingFiles(
  resources: Iterable<Resource>,
  { schemaFile, cwd, home, env, approved }: LocateOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const resource of resources) {
    if (resource.kind === 'http') continue;
    const located = await locateFile(resource, { schemaFile, cwd, home, env, approved });
    if (located.ok) continue;
    const { message, hint } = located.finding;
    const path = childPath('main.resources', resource.name);
    findings.push(resourceFinding('RES020', path, message, hint === undefined ? {} : { hint }));
  }
  return findings;
}
