import type { HttpError, HttpErrorCode } from '@schemakit/http';
import { type Evidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import type { Certificate, CertificateFault } from '../../network/certificate.ts';
import type { Connection } from '../../network/connection.ts';
import type { HttpCode } from './http-codes.ts';

const CODES: Readonly<Partial<Record<HttpErrorCode, HttpCode>>> = {
  ENOTFOUND: 'HTTP-001',
  ETIMEDOUT: 'HTTP-003',
  ADDRESS_BLOCKED: 'HTTP-014',
  ORIGIN_BLOCKED: 'HTTP-014',
  PROTOCOL_BLOCKED: 'HTTP-014',
};

/** Why the URL, or a redirect of it, has no answer. `isAnswering`: other requests to it have one. */
export function failureFinding(error: HttpError, { isAnswering }: { isAnswering: boolean }): Finding {
  const code = CODES[error.code] ?? 'HTTP-002';
  const severity = code === 'HTTP-003' && isAnswering ? { severity: 'WARNING' as const } : {};
  const evidence = { request: `GET ${error.url}` };
  return finding(code, 'http', error.message, { ...severity, evidence });
}

const FAULTS: Readonly<Record<CertificateFault, [HttpCode, (certificate: Certificate, host: string) => string]>> = {
  expired: ['HTTP-005', ({ validTo }) => `The certificate expired on ${validTo}.`],
  'not-yet-valid': ['HTTP-015', ({ validFrom }) => `The certificate is valid from ${validFrom} on.`],
  'self-signed': ['HTTP-006', ({ subject }) => `The certificate is signed by itself, not by an authority: ${subject}.`],
  'wrong-host': ['HTTP-016', ({ names }, host) => `The certificate is not for ${host}, but for ${shortList(names)}.`],
  untrusted: ['HTTP-017', ({ issuer }) => `No trusted authority stands behind the issuer, ${issuer}.`],
};

/** What is wrong with TLS at an origin. */
export function tlsFindings({ origin, host, tls }: Connection): Finding[] {
  if (tls === null) return [];
  const { version, certificate } = tls;
  const place = `tls.${new URL(origin).host}`;
  const evidence: Evidence = partEvidence(`TLS handshake with ${origin}`, tls);
  const told = (code: HttpCode, text: string): Finding => finding(code, place, text, { evidence });
  const findings: Finding[] = [];
  if (certificate !== null) {
    for (const fault of certificate.faults) {
      const [code, text] = FAULTS[fault];
      findings.push(told(code, text(certificate, host)));
    }
    if (certificate.endsSoon)
      findings.push(
        told('HTTP-018', `The certificate expires in ${certificate.expiresInDays} days, on ${certificate.validTo}.`),
      );
  }
  if (version !== null && OLD.has(version)) findings.push(told('HTTP-019', `The server speaks ${version}.`));
  return findings;
}

const OLD: ReadonlySet<string> = new Set(['SSLv3', 'TLSv1', 'TLSv1.1']);

function shortList(names: readonly string[]): string {
  if (names.length === 0) return 'no host';
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', ');
}
