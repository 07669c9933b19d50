import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CommandResult, failed, misused } from '../output/command-result.ts';

export interface TlsFlags {
  tlsCert?: string;
  tlsKey?: string;
}

type ReadTls = { ok: true; tls?: { cert: Buffer; key: Buffer } } | { ok: false; result: CommandResult };

/** The certificate for https and its key; absent where none was named. What does not work together is refused with what to do. */
export function readTls({ tlsCert, tlsKey }: TlsFlags): ReadTls {
  if (tlsCert === undefined && tlsKey === undefined) return { ok: true };
  if (tlsCert === undefined || tlsKey === undefined) {
    return refused('--tls-cert and --tls-key belong together.', 'Give the files of both, in PEM.');
  }
  let cert: Buffer;
  let key: Buffer;
  try {
    cert = readFileSync(tlsCert);
    key = readFileSync(tlsKey);
  } catch (error) {
    const { message } = error as Error;
    const fix = 'Name the files of the certificate and its key.';
    return { ok: false, result: failed('notFound', { error: message, fix }) };
  }
  const certificate = parsed(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return refused(`${tlsCert} is no certificate in PEM.`, 'It begins with -----BEGIN CERTIFICATE-----.');
  }
  const privateKey = parsed(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return refused(
      `${tlsKey} is no private key in PEM that can be read without a passphrase.`,
      'It begins with -----BEGIN PRIVATE KEY-----. Take a passphrase away with: openssl pkey -in <file> -out <file without>',
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    const fix =
      'Name the key with which the certificate was asked for. In a file with several, the own certificate comes first.';
    return refused(`${tlsKey} is not the key of ${tlsCert}.`, fix);
  }
  return { ok: true, tls: { cert, key } };
}

function parsed<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function refused(error: string, fix: string): { ok: false; result: CommandResult } {
  return { ok: false, result: misused(error, fix) };
}
