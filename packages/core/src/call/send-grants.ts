import type { SchemaRecord } from '../load/schema-record.ts';
import { trustCommand } from '../lock/lock-paths.ts';
import { maySend, secretRoutes, sendGrants } from '../lock/secret-routes.ts';
import type { Finding } from '../schema/finding.ts';
import { callFinding } from './call-findings.ts';

/**
 * The finding for secrets that a schema from elsewhere may not send to its root. A root whose host is filled in later is checked
 * again with the final `url`: a grant may name one of its hosts.
 */
export function sendFinding(record: SchemaRecord, secrets: readonly string[], url?: string): Finding | undefined {
  const { schema, grants, approveRoot, file, lockFile } = record;
  if (approveRoot) return undefined;
  const { send = {} } = grants;
  const { root, tokenEndpoint } = schema;
  // The token endpoint is checked before anything is sent, by its text.
  const routes = secretRoutes({ root, secrets, send, ...(url === undefined && { tokenEndpoint }) });
  const missing = routes.filter(({ name, origin, granted }) => {
    if (granted) return false;
    const isLater = url === undefined && origin.includes('*') && Object.hasOwn(send, name);
    return !isLater && (url === undefined || !maySend(name, url, send));
  });
  const [first] = missing;
  if (first === undefined) return undefined;
  const names = missing.flatMap(({ name, origin }) => (origin === first.origin ? name : []));
  const to = url === undefined ? first.origin : new URL(url).origin;
  const flags = names.flatMap((name) => ['--send', name]);
  const command = file === undefined ? 'schemakit trust <file>' : trustCommand({ files: [file], lockFile, flags });
  const inProgram = JSON.stringify(sendGrants(missing));
  const hint = `If you trust the schema with ${names.length === 1 ? 'it' : 'them'}: ${command}; in a program, loadSchema({ filePath, grants: { send: ${inProgram} } }).`;
  const what = `the secret${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  const message = `This schema would send ${what} to ${to}, which you have not allowed. Nothing was sent.`;
  return callFinding('SEND_NOT_GRANTED', message, { hint });
}
