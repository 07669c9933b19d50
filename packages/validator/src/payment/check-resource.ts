import { field, isPlainObject } from '../findings/plain-object.ts';
import type { FieldProblem } from './check-amount.ts';

const KNOWN_FIELDS: ReadonlySet<string> = new Set(['url', 'description', 'mimeType', 'serviceName', 'tags', 'iconUrl']);

/** Checks what is paid for. Version 2 requires an object; earlier drafts had the address as a string. */
export function checkResource(resource: unknown): FieldProblem[] {
  if (resource === undefined) return [['PAY-019', '`resource` is missing']];
  if (typeof resource === 'string') {
    if (resource.trim() === '') return [['PAY-021', '`resource` is empty']];
    const isAddress = URL.canParse(resource);
    return isAddress
      ? [['PAY-019', '`resource` is a string, where version 2 has an object with `url`']]
      : [['PAY-023', '`resource` is not an absolute URL']];
  }
  if (!isPlainObject(resource)) return [['PAY-020', '`resource` must be an object with `url`, or at least a string']];
  const unknown = Object.keys(resource).filter((key) => !KNOWN_FIELDS.has(key));
  const problems = urlProblems(field(resource, 'url'));
  if (unknown.length > 0)
    problems.push(['PAY-024', `\`resource\` has unknown fields: ${unknown.slice(0, 5).join(', ')}`]);
  return problems;
}

function urlProblems(url: unknown): FieldProblem[] {
  if (url === undefined) return [['PAY-021', '`resource` has no `url`']];
  if (typeof url !== 'string') return [['PAY-022', `\`resource.url\` must be a string, not ${typeof url}`]];
  return URL.canParse(url) ? [] : [['PAY-023', '`resource.url` is not an absolute URL']];
}

/** What version 1 says of the thing that is paid for, in each way to pay. */
export function checkResourceV1(resource: unknown, description: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (resource === undefined) problems.push(['PAY-019', '`resource` is missing']);
  else if (typeof resource !== 'string')
    problems.push(['PAY-020', `\`resource\` must be a string, not ${typeof resource}`]);
  else if (!URL.canParse(resource)) problems.push(['PAY-023', '`resource` is not an absolute URL']);
  if (typeof description !== 'string') problems.push(['PAY-019', '`description` is missing, or no string']);
  return problems;
}
