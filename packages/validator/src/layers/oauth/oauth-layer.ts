import type { Layer } from '../../assess/layer.ts';
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
    if (!oauth.flags.supportsOAuth && findings.length === 0)
      return { detected: false, state: 'not-detected', skipped: 'The server advertises no OAuth and asks for none.' };
    return {
      detected: true,
      categories: { ...oauth.flags },
      entries: { ...oauth.entry, isComplete: oauth.isComplete },
      findings,
    };
  },
};
