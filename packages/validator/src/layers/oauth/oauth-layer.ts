import type { Layer } from '../../assess/layer.ts';
import { finding } from '../../findings/finding.ts';
import { plainText } from '../../findings/plain-text.ts';
import { findAuthorization } from '../../run-steps.ts';
import { oauthCodes } from './oauth-codes.ts';

/** How the server is authorized, as its metadata tells. */
export const oauthLayer: Layer = {
  name: 'oauth',
  async run({ network, shared }) {
    const run = await shared.mcp();
    if (!run.isReachable)
      return { detected: false, state: 'not-evaluated', skipped: 'The endpoint cannot be reached.' };
    const { challenged } = network;
    await findAuthorization(run);
    await shared.probed();
    // Some servers require authorization only for tool calls.
    if (network.challenged !== challenged) await findAuthorization(run);
    const { oauth } = run.seen;
    if (oauth === undefined)
      return { detected: false, state: 'not-evaluated', skipped: 'The metadata did not arrive in time.' };
    const findings = run.findings.filter(({ code }) => Object.hasOwn(oauthCodes, code));
    const { entry, flags, isBlocked, refused, isComplete, loginProblem, otherScheme } = oauth;
    if (!flags.supportsOAuth && otherScheme !== undefined) {
      const skipped = `The server asks for ${plainText(otherScheme, 40)}, which is not OAuth.`;
      return { detected: false, state: 'not-detected', skipped };
    }
    const isNothing = !flags.supportsOAuth && findings.length === 0;
    if (isNothing && run.seen.session !== undefined && entry.isRequired === null) {
      const skipped = 'Whether the server requires authorization is unknown, because credentials were sent.';
      return { detected: false, state: 'not-evaluated', skipped };
    }
    if (isNothing)
      return refused === undefined
        ? { detected: false, state: 'not-detected', skipped: 'The endpoint advertises no OAuth and asks for none.' }
        : { detected: false, state: 'not-evaluated', skipped: `Metadata may exist: ${refused}.` };
    if (loginProblem !== undefined && (isBlocked || !isComplete)) {
      const why = isBlocked ? 'the network policy blocks the metadata' : 'the metadata did not arrive in time';
      const skipped = `How clients log in is unknown, because ${why}.`;
      return { detected: false, state: 'not-evaluated', skipped, findings };
    }
    if (loginProblem !== undefined) {
      const isRequired = entry.isRequired === true;
      const text = `${isRequired ? 'Authorization is required' : 'OAuth is advertised'}, but ${loginProblem}`;
      const evidence = findings.find((found) => found.evidence !== undefined)?.evidence;
      findings.push(finding('AUTH-012', 'oauth', text, { severity: isRequired ? 'ERROR' : 'WARNING', evidence }));
    }
    return {
      detected: true,
      categories: { ...flags },
      entries: { ...entry, isComplete },
      findings,
    };
  },
};
