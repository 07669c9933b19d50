import { supportsMcpApps, supportsTasks } from '../list/capability-flags.ts';
import { familyOf } from '../payment/network-id.ts';
import type { Categories, Entries } from './snapshot.ts';

/** Derives the twelve facts from what was seen. */
export function categoriesOf(
  entries: Entries,
  { isReachable, supportsMcp }: { isReachable: boolean; supportsMcp: boolean },
): Categories {
  const { tools, resources, resourceTemplates, prompts, capabilities, latency, x402 } = entries;
  const hasFamily = (family: string): boolean => x402.networks.some((network) => familyOf(network) === family);
  return {
    isReachable,
    supportsMcp,
    hasTools: tools.length > 0,
    hasResources: resources.length > 0,
    hasPrompts: prompts.length > 0,
    supportsX402: x402.restrictedCalls.length > 0,
    hasValidPaymentRequirements: x402.paymentOptions.some(({ isValid }) => isValid),
    supportsExactScheme: x402.schemes.includes('exact'),
    supportsEvm: hasFamily('eip155'),
    supportsSolana: hasFamily('solana'),
    supportsTasks: supportsTasks(capabilities),
    supportsMcpApps: supportsMcpApps(capabilities, { tools, resources, resourceTemplates, prompts, latency }),
  };
}
