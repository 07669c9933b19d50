import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { checkAsset, checkPayTo } from './check-address.ts';
import { checkAmount, checkTimeout } from './check-amount.ts';
import { checkExtra } from './check-extra.ts';
import { checkResourceV1 } from './check-resource.ts';
import { caip2Of, familyOf, isCaip2, isChainReference, nameOf } from './network-id.ts';

/** Schemes that x402 has beside `exact`; how they are paid is not checked. */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(['upto', 'batch-settlement', 'auth-capture']);

/** What was found out about one way to pay. */
export interface CheckedOption {
  findings: Finding[];
  /** Nothing is wrong with it, and its network is one that can be checked. */
  isValid: boolean;
}

/** Checks one entry of `accepts`, by the rules of its version, scheme and network. */
export function checkOption(option: unknown, location: string, version: 1 | 2): CheckedOption {
  if (!isPlainObject(option)) {
    return { findings: [finding('PAY-031', location, 'A way to pay must be an object')], isValid: false };
  }
  const fields: PlainObject = option;
  const amountName = version === 1 ? 'maxAmountRequired' : 'amount';
  const network = field(fields, 'network');
  const family = typeof network === 'string' ? familyOf(caip2Of(network, version)) : undefined;
  const at = (name: string): string => `${location}.${name}`;
  const problems = [
    ['asset', checkAsset(field(fields, 'asset'), family)],
    ['payTo', checkPayTo(field(fields, 'payTo'), family)],
    [amountName, checkAmount(field(fields, amountName), amountName, family)],
    ['maxTimeoutSeconds', checkTimeout(field(fields, 'maxTimeoutSeconds'))],
  ] as const;
  const resource = version === 1 ? checkResourceV1(field(fields, 'resource'), field(fields, 'description')) : [];
  const findings = [
    ...resource.map(([code, text]) => finding(code, location, text)),
    ...schemeFindings(field(fields, 'scheme'), at('scheme')),
    ...networkFindings(network, at('network'), version),
    ...problems.flatMap(([name, problem]) => (problem ? [finding(problem[0], at(name), problem[1])] : [])),
    ...checkExtra(field(fields, 'extra'), at('extra'), { family, scheme: field(fields, 'scheme') }),
  ];
  return { findings, isValid: family !== undefined && findings.every(({ severity }) => severity !== 'ERROR') };
}

function schemeFindings(scheme: unknown, location: string): Finding[] {
  if (scheme === undefined) return [finding('PAY-040', location, '`scheme` is missing')];
  if (typeof scheme !== 'string')
    return [finding('PAY-041', location, `\`scheme\` must be a string, not ${typeof scheme}`)];
  if (scheme === 'exact') return [];
  if (OTHER_SCHEMES.has(scheme)) {
    return [
      finding('PAY-042', location, `\`${scheme}\` is a scheme that many clients cannot pay`, { severity: 'WARNING' }),
    ];
  }
  return [finding('PAY-042', location, `\`${scheme.slice(0, 40)}\` is no scheme of x402`)];
}

function networkFindings(network: unknown, location: string, version: 1 | 2): Finding[] {
  if (network === undefined) return [finding('PAY-050', location, '`network` is missing')];
  if (typeof network !== 'string')
    return [finding('PAY-051', location, `\`network\` must be a string, not ${typeof network}`)];
  const shown = `\`${network.slice(0, 60)}\``;
  if (version === 1 && caip2Of(network, 1) === network) {
    const name = nameOf(network);
    const isId = isCaip2(network) || familyOf(network) !== undefined;
    const hint = name === undefined ? 'has names, such as `base`' : `writes \`${name}\``;
    const text = `${shown} is ${isId ? 'an id as version 2 has it' : 'no network that is known'}; version 1 ${hint}`;
    return [finding('PAY-052', location, text)];
  }
  const id = caip2Of(network, version);
  const family = familyOf(id);
  if (family === undefined) {
    if (isCaip2(id)) {
      const text = `${shown} is of an unverified namespace: its addresses are not checked`;
      return [finding('PAY-052', location, text, { severity: 'WARNING' })];
    }
    const isOld = caip2Of(network, 1) !== network;
    const hint = isOld ? `; version 2 writes \`${caip2Of(network, 1)}\`` : '';
    return [finding('PAY-052', location, `${shown} begins with neither \`eip155:\` nor \`solana:\`${hint}`)];
  }
  const reference = id.slice(family.length + 1);
  if (reference === '') return [finding('PAY-053', location, `${shown} names no chain`)];
  return isChainReference(reference, family)
    ? []
    : [finding('PAY-054', location, `${shown} names no chain of ${family}`)];
}
