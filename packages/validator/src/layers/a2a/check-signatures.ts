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
import { plainText } from '../../findings/plain-text.ts';
import { isHttpsOrLoopback } from '../../network/loopback.ts';
import { signedForms } from './signed-forms.ts';

export interface CheckedSignature {
  state: 'valid' | 'wrong' | 'unchecked';
  algorithm: string | null;
  keyId: string | null;
  /** Where the key is from. A valid signature proves only that its owner signed the card. */
  keyUrl: string | null;
}

/** The state of a signature, and why it is not valid. */
type Verdict = readonly [state: CheckedSignature['state'], reason: string];

const MAX_SIGNATURES = 5;
const PLACE = 'card.signatures';

/** Public keys only: a shared secret would prove nothing to others. */
const ALGORITHMS = 'ES256 ES384 ES512 RS256 RS384 RS512 PS256 PS384 PS512 EdDSA Ed25519'.split(' ');

/** Checks the signatures of a card: detached JWS (RFC 7515) over its canonical form (RFC 8785). */
export async function checkSignatures(
  { signatures: given, ...content }: PlainObject,
  context: LayerContext,
): Promise<{ signatures: CheckedSignature[]; findings: Finding[] }> {
  const list: unknown[] = [given ?? []].flat();
  const payloads = list.length === 0 ? [] : signedForms(content);
  const signatures: CheckedSignature[] = [];
  const findings: Finding[] = [];
  for (const [index, entry] of list.slice(0, MAX_SIGNATURES).entries()) {
    const header = parseBase64Json(textOrNull(field(entry, 'protected')) ?? undefined);
    const [state, reason] = await verdictOn(entry, header, { payloads, context });
    const shown = (name: string): string | null => {
      const value = field(header, name);
      return typeof value === 'string' ? plainText(value, 300) : null;
    };
    signatures.push({ state, algorithm: shown('alg'), keyId: shown('kid'), keyUrl: shown('jku') });
    if (state === 'valid') continue;
    const evidence = partEvidence(`${PLACE}[${index}]`, { header, signature: field(entry, 'signature') });
    findings.push(finding(state === 'wrong' ? 'CSV-043' : 'CSV-044', `${PLACE}[${index}]`, reason, { evidence }));
  }
  if (list.length > MAX_SIGNATURES)
    findings.push(finding('CSV-044', PLACE, `Only ${MAX_SIGNATURES} of ${list.length} signatures are checked`));
  return { signatures, findings };
}

async function verdictOn(
  entry: unknown,
  header: unknown,
  { payloads, context }: { payloads: readonly string[]; context: LayerContext },
): Promise<Verdict> {
  const [protectedHeader, signature] = ['protected', 'signature'].map((name) => field(entry, name));
  if (typeof protectedHeader !== 'string' || typeof signature !== 'string' || !isPlainObject(header))
    return ['wrong', 'Not a JWS: `protected` and `signature` must be base64url strings'];
  const algorithm = textOrNull(field(header, 'alg')) ?? 'none';
  if (!ALGORITHMS.includes(algorithm))
    return ['wrong', `The algorithm ${algorithm.slice(0, 40)} proves nothing: it has no public key`];
  if (payloads.length === 0) return ['unchecked', 'The card has no canonical form'];
  const keys = await keysAt(field(header, 'jku'), context);
  if (typeof keys === 'string') return ['unchecked', `The key is unknown: ${keys}`];
  // Only for cards with signatures.
  const { createLocalJWKSet, errors, flattenedVerify } = await import('jose');
  try {
    const keySet = createLocalJWKSet(keys);
    for (const payload of payloads) {
      try {
        await flattenedVerify({ protected: protectedHeader, signature, payload }, keySet, { algorithms: ALGORITHMS });
        return ['valid', ''];
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    return ['wrong', 'The signature does not match the card'];
  } catch (error) {
    return ['unchecked', `Cannot be checked: ${(error as Error).message}`];
  }
}

/** Gets the keys. A string says why there are none. */
async function keysAt(jku: unknown, { network, clock }: LayerContext): Promise<{ keys: PlainObject[] } | string> {
  if (typeof jku !== 'string') return 'the header has no `jku`';
  if (!isHttpsOrLoopback(jku)) return '`jku` is not an https: URL';
  try {
    const answer = await network.get(new URL(jku), clock.remaining() / 2);
    const keys = answer.status === 200 ? field(parseJson(answer.text()), 'keys') : undefined;
    if (Array.isArray(keys)) return { keys: keys.filter(isPlainObject) };
    return `\`jku\` answers HTTP ${answer.status} without a set of keys`;
  } catch (error) {
    return (error as Error).message;
  }
}
