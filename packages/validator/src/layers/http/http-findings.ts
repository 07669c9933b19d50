import { type Hop, pageKind } from '../../assess/page.ts';
import { type Evidence, httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { isLoopback } from '../../network/loopback.ts';
import { failureFinding, tlsFindings } from './connection-findings.ts';
import type { HttpCode } from './http-codes.ts';
import { type HttpView, offersHttp3 } from './http-view.ts';

const MANY_REDIRECTS = 5;

/** All findings about how a URL is reached. */
export function httpFindings(view: HttpView): Finding[] {
  const { url, page, connections, preflight } = view;
  const last = page.hops.at(-1);
  const isAnswering = preflight.answer !== undefined || page.hops.length > 0;
  return [
    ...(page.error === undefined ? [] : [failureFinding(page.error, { isAnswering })]),
    ...(url.protocol === 'http:' && !isLoopback(url)
      ? [finding('HTTP-004', 'url', `${shownUrl(url)} is not encrypted.`)]
      : []),
    ...connections.flatMap(tlsFindings),
    ...redirectFindings(view),
    ...(last === undefined ? [] : answerFindings(last, view)),
    ...corsFindings(view),
  ];
}

function redirectFindings({ redirects }: HttpView): Finding[] {
  const [first] = redirects;
  if (first === undefined) return [];
  const code = redirects.length > MANY_REDIRECTS ? 'HTTP-008' : 'HTTP-007';
  const targets = redirects.slice(0, MANY_REDIRECTS).map(({ target }) => shownUrl(target));
  const text = `${redirects.length === 1 ? 'Redirects' : `Redirects ${redirects.length} times`}, to ${targets.join(', ')}`;
  const downgrades = redirects.flatMap(({ hop, target }, index) => {
    if (!hop.url.startsWith('https:') || target.protocol !== 'http:') return [];
    const evidence = httpEvidence(hop);
    return [
      finding('HTTP-020', `redirects[${index}]`, `${shownUrl(new URL(hop.url))} redirects to http.`, { evidence }),
    ];
  });
  return [finding(code, 'redirects', text, { evidence: httpEvidence(first.hop) }), ...downgrades];
}

/** What the last answer to GET shows. */
function answerFindings(hop: Hop, view: HttpView): Finding[] {
  const { headers, status } = hop;
  const findings: Finding[] = [];
  const tell = (code: HttpCode, location: string, text: string, names: string[] = []): void => {
    const evidence: Evidence = { ...httpEvidence({ ...hop, body: null }, { names }) };
    findings.push(finding(code, location, text, { evidence }));
  };
  const kind = pageKind(hop);
  const { 'content-type': type = 'no content type', server, 'x-powered-by': powered } = headers;
  if (kind === 'website') tell('HTTP-009', 'http', `GET is answered with a page (${type}).`);
  if (kind === 'api') tell('HTTP-010', 'http', `GET is answered as by an API (${status}, ${type}).`);
  if (status >= 500) tell('HTTP-021', 'http', `GET is answered with status ${status}.`);
  const software = [server, powered].filter((value) => value !== undefined).join(', ');
  if (software !== '') tell('HTTP-011', 'headers.server', `The server is ${software}.`, ['server', 'x-powered-by']);
  const { 'access-control-allow-origin': allowed } = headers;
  if (allowed !== undefined)
    tell('HTTP-012', 'headers.cors', `Answers may be read by pages of ${allowed}.`, ['access-control-allow-origin']);
  const [own] = view.connections;
  if (own?.tls?.alpn === 'h2') findings.push(finding('HTTP-013', 'tls', 'The server offers HTTP/2.'));
  if (offersHttp3(hop)) tell('HTTP-026', 'headers.alt-svc', 'The server offers HTTP/3.', ['alt-svc']);
  const missing = missingHeaders(hop, view);
  if (missing.length > 0) tell('HTTP-025', 'headers', `Missing: ${missing.join(', ')}`);
  return findings;
}

function missingHeaders({ url, headers }: Hop, view: HttpView): string[] {
  const isSniffable = !/^\s*nosniff\s*$/i.test(headers['x-content-type-options'] ?? '');
  const hasHsts = /(?:^|;)\s*max-age\s*=\s*"?0*[1-9]/i.test(headers['strict-transport-security'] ?? '');
  const wantsHsts = url.startsWith('https:') && !isLoopback(view.url);
  return [
    ...(isSniffable ? ['x-content-type-options: nosniff'] : []),
    ...(wantsHsts && !hasHsts ? ['strict-transport-security'] : []),
  ];
}

function corsFindings({ page, preflight }: HttpView): Finding[] {
  const { answer, isAllowed, missingHeaders: missing, allowsAnyWithCredentials } = preflight;
  const last = page.hops.at(-1);
  if (answer === undefined && last === undefined) return [];
  const names = ['origin', 'headers', 'credentials'].map((name) => `access-control-allow-${name}`);
  const options = answer === undefined ? {} : { evidence: httpEvidence(answer, { names }) };
  const refused = answer === undefined ? 'no answer' : `status ${answer.status}`;
  const isForPeople = last !== undefined && pageKind(last) === 'website';
  const findings: Finding[] = [];
  if (!isAllowed && !isForPeople)
    findings.push(finding('HTTP-022', 'cors', `The preflight of a POST is not allowed (${refused}).`, options));
  if (isAllowed && missing.length > 0)
    findings.push(finding('HTTP-023', 'cors', `Browsers may not send ${missing.join(', ')}.`, options));
  if (allowsAnyWithCredentials)
    findings.push(
      finding('HTTP-024', 'cors.credentials', 'Any origin is allowed, with the cookies of the user.', options),
    );
  return findings;
}
