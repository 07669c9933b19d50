import type { Code } from '../findings/codes.ts';
import { documentEvidence, httpEvidence } from '../findings/evidence.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, texts } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import { isHttpsOrLoopback } from '../network/loopback.ts';
import { isAbout, type ServerMetadata } from './metadata.ts';
import { canRegister, type Discovery, hasPkce } from './oauth-entry.ts';

const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'response_types_supported'];

export function oauthFindings(discovery: Discovery): Finding[] {
  const { challenge, resource, servers, unseenServers, isLegacy, scopes, answersWithout } = discovery;
  const has = resource.document !== undefined || servers.some(({ document }) => document !== undefined);
  const findings = [...resourceFindings(discovery)];
  if (unseenServers > 0) {
    const text = `Only ${servers.length} of ${servers.length + unseenServers} authorization servers were checked`;
    findings.push(finding('AUTH-002', 'oauth.resource', text));
  }
  for (const server of servers)
    findings.push(...(isLegacy && server.document === undefined ? [fallbackFinding(server)] : serverFindings(server)));
  if (has || challenge !== undefined) {
    const style = isLegacy && has ? ' in the style of 2025-03-26, without resource metadata' : '';
    const text =
      challenge === undefined
        ? answersWithout
          ? 'The server advertises OAuth, and answers without it'
          : 'The server advertises OAuth; whether it answers without credentials is unknown'
        : 'The server requires authorization';
    findings.push(
      finding('AUTH-010', 'oauth', `${text}${style}`, { evidence: challenge && httpEvidence(challenge.refusal) }),
    );
  }
  if (scopes.length > 0) findings.push(finding('AUTH-011', 'oauth', scopesText(discovery)));
  return findings;
}

/** Clients ask for the scopes of the resource; an authorization server may have others, too. */
function scopesText({ challenge, resource, scopes }: Discovery): string {
  const named = new Set([...(challenge?.scopes ?? []), ...texts(field(resource.document, 'scopes_supported'))]);
  const [own, others] = [scopes.filter((scope) => named.has(scope)), scopes.filter((scope) => !named.has(scope))];
  if (own.length === 0 || others.length === 0) return `Scopes: ${nameList(scopes, { max: 30 })}`;
  return `Scopes: ${nameList(own, { max: 30 })}; only the authorization server names ${nameList(others, { max: 30 })}`;
}

function resourceFindings({
  endpoint,
  challenge,
  resource: { document, url, blocked, broken, isLate },
}: Discovery): Finding[] {
  const findings: Finding[] = [];
  const shown =
    document === undefined
      ? challenge && httpEvidence(challenge.refusal)
      : documentEvidence(url ?? endpoint.href, document);
  const add = (code: Code, text: string): number =>
    findings.push(finding(code, 'oauth.resource', text, { evidence: shown }));
  if (challenge !== undefined && challenge.resourceMetadata === undefined) {
    add('AUTH-007', 'The 401 has no `WWW-Authenticate: Bearer resource_metadata="…"`');
  }
  if (broken !== undefined) add('AUTH-007', `The 401 points to invalid metadata: ${broken}`);
  else if (isLate) add('AUTH-002', 'A request for the resource metadata timed out');
  if (blocked !== undefined) add('AUTH-009', `the network policy blocks ${blocked} or its redirect`);
  const pointed = challenge?.resourceMetadata;
  if (pointed !== undefined && !URL.canParse(pointed))
    add('AUTH-007', `The 401 points to ${pointed}, which is not an absolute URL`);
  if (pointed !== undefined && !isHttpsOrLoopback(URL.parse(pointed, endpoint.href)?.href))
    add('AUTH-009', `${pointed} is not https`);
  if (document === undefined) return findings;
  if (texts(field(document, 'authorization_servers')).length === 0)
    add('AUTH-004', '`authorization_servers` is missing or empty');
  if (!isAbout(field(document, 'resource'), endpoint)) add('AUTH-008', '`resource` does not name this endpoint');
  return findings;
}

function serverFindings({ issuer, seen, document, otherIssuer, broken, isBlocked, isLate }: ServerMetadata): Finding[] {
  const findings: Finding[] = [];
  const evidence = seen && documentEvidence(seen.url, seen.document);
  const add = (code: Code, text: string): number =>
    findings.push(finding(code, 'oauth.server', `${issuer}: ${text}`, { evidence }));
  if (!isHttpsOrLoopback(issuer)) add('AUTH-009', 'the issuer is not https');
  else if (isBlocked) add('AUTH-009', 'the network policy blocks the issuer');
  if (document === undefined) {
    if (otherIssuer !== undefined) add('AUTH-006', `the metadata ${otherIssuer}, so clients must not use it`);
    else if (isLate) add('AUTH-002', 'the request for the metadata timed out');
    else if (!isBlocked)
      add('AUTH-002', `no metadata at the well-known URLs${broken === undefined ? '' : `: ${broken}`}`);
    return findings;
  }
  const missing = REQUIRED.filter((name) => field(document, name) === undefined);
  if (missing.length > 0) add('AUTH-002', `the metadata lacks ${nameList(missing)}`);
  if (!hasPkce(document)) {
    add('AUTH-003', '`code_challenge_methods_supported` does not list S256, so clients must refuse');
  }
  if (!canRegister(document)) add('AUTH-005', 'clients can neither register nor use a metadata document');
  const unsafe = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'].filter((name) => {
    const address = field(document, name);
    return address !== undefined && !isHttpsOrLoopback(address);
  });
  if (unsafe.length > 0) add('AUTH-009', `not https: ${nameList(unsafe)}`);
  return findings;
}

/** For the fallback of 2025-03-26, where the server is its own authorization server. */
function fallbackFinding({ issuer, isLate }: ServerMetadata): Finding {
  const text = isLate
    ? `${issuer}: the request for the metadata timed out`
    : `No usable resource metadata, and no authorization server metadata at ${issuer}`;
  return finding('AUTH-002', 'oauth.server', text);
}
