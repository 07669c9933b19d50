import type { Layer } from '../../assess/layer.ts';
import { finding } from '../../findings/finding.ts';
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
    const { entry, flags, isBlocked, refused, isComplete } = oauth;
    if (!flags.supportsOAuth && findings.length === 0)
      return refused === undefined
        ? { detected: false, state: 'not-detected', skipped: 'The server advertises no OAuth and asks for none.' }
        : { detected: false, state: 'not-evaluated', skipped: `Metadata may exist: ${refused}.` };
    const cannotLogIn = entry.isRequired === true && !flags.hasAuthServerMetadata;
    if (cannotLogIn && isBlocked) {
      const skipped = 'How clients log in is unknown, because the network policy blocks the metadata.';
      return { detected: false, state: 'not-evaluated', skipped, findings };
    }
    if (cannotLogIn && isComplete) {
      const text = 'The server requires authorization, but no metadata says how clients get a token';
      const evidence = findings.find(({ code }) => code === 'AUTH-010')?.evidence;
      findings.push(finding('AUTH-012', 'oauth', text, { evidence }));
    }
    return {
      detected: true,
      categories: { ...flags },
      entries: { ...entry, isComplete },
      findings,
    };
  },
};
