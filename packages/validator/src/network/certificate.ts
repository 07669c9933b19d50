import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { plainText } from '../findings/plain-text.ts';

/** What is wrong with a certificate. Several may hold at once. */
export type CertificateFault = 'expired' | 'not-yet-valid' | 'self-signed' | 'wrong-host' | 'untrusted';

/** The certificate of a server. All texts are sanitized. */
export interface Certificate {
  subject: string;
  issuer: string;
  /** The hosts that it is for, at most 50. */
  names: string[];
  /** ISO 8601. */
  validFrom: string | null;
  validTo: string | null;
  /** Whole days; negative after its end. */
  expiresInDays: number | null;
  /** Less than a tenth of its lifetime is left. Automatic renewal comes earlier. */
  endsSoon: boolean;
  faults: CertificateFault[];
}

const MAX_NAMES = 50;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Reasons of OpenSSL that other faults tell in a better way. */
const TOLD_BY_OTHERS: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
]);

/**
 * Describes a certificate. `refusal` is why the handshake did not trust it. OpenSSL names only one reason, so dates, names and issuer
 * are checked here again.
 */
export function describeCertificate(
  certificate: X509Certificate,
  { host, refusal }: { host: string; refusal: string | undefined },
): Certificate {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const now = Date.now();
  const isSelfSigned = certificate.checkIssued(certificate);
  const isUntrusted = refusal !== undefined && !TOLD_BY_OTHERS.has(refusal);
  const faults: [CertificateFault, boolean][] = [
    ['expired', to < now],
    ['not-yet-valid', from > now],
    ['self-signed', isSelfSigned && refusal !== undefined],
    ['wrong-host', !isFor(certificate, host)],
    ['untrusted', isUntrusted && !isSelfSigned],
  ];
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    names: namesOf(certificate),
    validFrom: isoOf(from),
    validTo: isoOf(to),
    expiresInDays: Number.isNaN(to) ? null : Math.trunc((to - now) / DAY_MS),
    endsSoon: to >= now && to - now < (to - from) / 10,
    faults: faults.filter(([, holds]) => holds).map(([fault]) => fault),
  };
}

/** As clients check it: a common name does not count (RFC 9525 2). */
function isFor(certificate: X509Certificate, host: string): boolean {
  const found = isIP(host) === 0 ? certificate.checkHost(host, { subject: 'never' }) : certificate.checkIP(host);
  return found !== undefined;
}

/** `CN=example.com, O=Example`. */
function nameOf(distinguished: string | undefined): string {
  return plainText((distinguished ?? '').trim().replaceAll('\n', ', '), 300);
}

function namesOf({ subjectAltName }: X509Certificate): string[] {
  const entries = (subjectAltName ?? '').slice(0, MAX_NAMES * 270).split(', ');
  return entries
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/s.exec(entry)?.[1] ?? [])
    .slice(0, MAX_NAMES)
    .map((name) => plainText(name, 260));
}

function isoOf(time: number): string | null {
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
