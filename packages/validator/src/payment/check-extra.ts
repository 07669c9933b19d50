import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject } from '../findings/plain-object.ts';
import type { NetworkFamily } from './network-id.ts';
import { isSolanaAddress } from './solana-address.ts';

const MAX_MEMO_BYTES = 256;

/** How the token is moved decides what is signed; only EIP-3009 signs in the token's own domain. */
const NEEDS_DOMAIN = 'eip3009';

interface Context {
  family: NetworkFamily | undefined;
  scheme: unknown;
}

/** Checks what a scheme needs beside the common fields. */
export function checkExtra(extra: unknown, location: string, { family, scheme }: Context): Finding[] {
  if (extra !== undefined && !isPlainObject(extra)) {
    return [finding('PAY-100', location, '`extra` is not an object'), ...solanaFindings(undefined, location, family)];
  }
  if (family === 'eip155' && (scheme === 'exact' || scheme === undefined)) return domainFindings(extra, location);
  return scheme === 'exact' ? solanaFindings(extra, location, family) : [];
}

function domainFindings(extra: unknown, location: string): Finding[] {
  if ((field(extra, 'assetTransferMethod') ?? NEEDS_DOMAIN) !== NEEDS_DOMAIN) return [];
  const isMissing = (name: string): boolean => typeof field(extra, name) !== 'string' || field(extra, name) === '';
  const findings: Finding[] = [];
  if (isMissing('name'))
    findings.push(finding('PAY-101', `${location}.name`, '`extra.name` is missing, which clients sign with'));
  if (isMissing('version'))
    findings.push(finding('PAY-102', `${location}.version`, '`extra.version` is missing, which clients sign with'));
  return findings;
}

function solanaFindings(extra: unknown, location: string, family: NetworkFamily | undefined): Finding[] {
  if (family !== 'solana') return [];
  const findings: Finding[] = [];
  const feePayer = field(extra, 'feePayer');
  if (typeof feePayer !== 'string' || !isSolanaAddress(feePayer)) {
    const text =
      feePayer === undefined
        ? '`extra.feePayer` is missing'
        : '`extra.feePayer` is not an address of 32 bytes in base58';
    findings.push(finding('PAY-095', `${location}.feePayer`, text));
  }
  const memo = field(extra, 'memo');
  if (memo !== undefined && (typeof memo !== 'string' || Buffer.byteLength(memo) > MAX_MEMO_BYTES)) {
    findings.push(
      finding('PAY-096', `${location}.memo`, `\`extra.memo\` must be a text of at most ${MAX_MEMO_BYTES} bytes`),
    );
  }
  return findings;
}
