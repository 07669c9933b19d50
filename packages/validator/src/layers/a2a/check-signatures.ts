import type { LayerContext } from '../../assess/layer.ts';
import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import {
  field,
  isPlainObject,
  type PlainObject,
  parseBase64Json,
  parseJson,
  textOrNull,
} from '../../findings/plain-object.ts';
import { isHttpsOrLoopback } from '../../network/loopback.ts';
import { signedForms } from './signed-forms.ts';

export interface CheckedSignature {
  state: 'valid' | 'wrong' | 'unchecked';
  algorithm: string | null;
  keyId: string | null;
  /** Where the key is from. A valid signature proves only that its owner signed the card. */
  keyUrl: string | null;
}

type Verdict = Pick<CheckedSignature, 'state'> & { reason: string };

const MAX_SIGNATURES = 5;

/** Public keys only: a shared secret would prove nothing to others. */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

/** Checks the signatures of a card: detached JWS (RFC 7515) over its canonical form (RFC 8785). */
export async function checkSignatures(
  document: PlainObject,
  context: LayerContext,
): Promise<{ signatures: CheckedSignature[]; findings: Finding[] }> {
  const { signatures: given, ...content } = document;
  if (given === undefined || given === null) return { signatures: [], findings: [] };
  const place = 'card.signatures';
  const list = Array.isArray(given) ? given : [given];
  const payloads = signedForms(content);
  const signatures: CheckedSignature[] = [];
  const findings: Finding[] = [];
  for (const [index, entry] of list.slice(0, MAX_SIGNATURES).entries()) {
    const header = parseBase64Json(textOrNull(field(entry, 'protected')) ?? undefined);
    const { state, reason } = await verdictOn(entry, header, { payloads, context });
    const [algorithm, keyId, keyUrl] = ['alg', 'kid', 'jku'].map((name) => textOrNull(field(header, name)));
    signatures.push({ state, algorithm: algorithm ?? null, keyId: keyId ?? null, keyUrl: keyUrl ?? null });
    if (state === 'valid') continue;
    const code = state === 'wrong' ? 'CSV-043' : 'CSV-044';
    const evidence = partEvidence(`${place}[${index}]`, { header, signature: field(entry, 'signature') });
    findings.push(finding(code, `${place}[${index}]`, reason, { evidence }));
  }
  if (list.length > MAX_SIGNATURES)
    findings.push(finding('CSV-044', place, `Only ${MAX_SIGNATURES} of ${list.length} signatures are checked`));
  return { signatures, findings };
}

async function verdictOn(
  entry: unknown,
  header: unknown,
  { payloads, context }: { payloads: readonly string[]; context: LayerContext },
): Promise<Verdict> {
  const [protectedHeader, signature] = ['protected', 'signature'].map((name) => field(entry, name));
  const algorithm = field(header, 'alg');
  if (typeof protectedHeader !== 'string' || typeof signature !== 'string' || !isPlainObject(header))
    return { state: 'wrong', reason: 'Not a JWS: `protected` and `signature` must be base64url strings' };
  if (!ALGORITHMS.some((name) => name === algorithm))
    return {
      state: 'wrong',
      reason: `The algorithm ${String(algorithm).slice(0, 40)} proves nothing: it has no public key`,
    };
  if (payloads.length === 0) return { state: 'unchecked', reason: 'The card has no canonical form' };
  const keys = await keysAt(field(header, 'jku'), context);
  if (typeof keys === 'string') return { state: 'unchecked', reason: keys };
  // Only for cards with signatures.
  const { createLocalJWKSet, errors, flattenedVerify } = await import('jose');
  try {
    const keySet = createLocalJWKSet(keys);
    for (const payload of payloads) {
      try {
        await flattenedVerify({ protected: protectedHeader, signature, payload }, keySet, { algorithms: ALGORITHMS });
        return { state: 'valid', reason: '' };
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    return { state: 'wrong', reason: 'The signature does not match the card' };
  } catch (error) {
    return {
      state: 'unchecked',
      reason: `Cannot be checked: ${error instanceof Error ? error.message : 'no reason given'}`,
    };
  }
}

/** Gets the keys. A string says why there are none. */
async function keysAt(jku: unknown, { network, clock }: LayerContext): Promise<{ keys: PlainObject[] } | string> {
  if (typeof jku !== 'string') return 'The key is unknown: the header has no `jku`';
  if (!isHttpsOrLoopback(jku)) return 'The key is unknown: `jku` is not an https: URL';
  try {
    const answer = await network.get(new URL(jku), clock.remaining() / 2);
    const keys = answer.status === 200 ? field(parseJson(answer.text()), 'keys') : undefined;
    if (Array.isArray(keys)) return { keys: keys.filter(isPlainObject) };
    return `The key is unknown: \`jku\` answers HTTP ${answer.status} without a set of keys`;
  } catch (error) {
    return `The key is unknown: ${error instanceof Error ? error.message : 'no reason given'}`;
  }
}
