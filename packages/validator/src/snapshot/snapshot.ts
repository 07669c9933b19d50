import type { TransportKind } from '../connect/transports.ts';
import type { PlainObject } from '../findings/plain-object.ts';
import type { ProbeMode } from '../input/start-options.ts';
import { type CapabilityFlags, supportsMcpApps, supportsTasks } from '../list/capability-flags.ts';
import type { ListName } from '../list/discover.ts';
import type { OAuthEntry, OAuthFlags } from '../oauth/oauth-entry.ts';
import { familyOf } from '../payment/network-id.ts';
import type { Outcome } from '../probe/probe-tools.ts';
import type { X402Entry } from './x402-entry.ts';

/** The twelve facts about a server. */
export interface Categories {
  /** An HTTP answer came from the endpoint, whatever its status; a server started by its command is reached when it talks. */
  isReachable: boolean;
  supportsMcp: boolean;
  hasTools: boolean;
  hasResources: boolean;
  hasPrompts: boolean;
  /** At least one tool, or the endpoint itself, asked for payment. */
  supportsX402: boolean;
  /** At least one way to pay has no `ERROR`. */
  hasValidPaymentRequirements: boolean;
  supportsExactScheme: boolean;
  supportsEvm: boolean;
  supportsSolana: boolean;
  supportsTasks: boolean;
  supportsMcpApps: boolean;
}

/** Parts of a snapshot that a run may not have seen whole. */
export type Part = 'server' | 'x402' | 'oauth' | ListName;

/** Which parts were seen whole. What is missing from another part may be there all the same. */
export type Completeness = Record<Part, boolean>;

/** What was seen, as plain JSON. Every field is there whatever happened: null or empty where nothing is known. */
export interface Entries {
  /** The address, or the command line of a server that was started by its command. */
  endpoint: string | null;
  transport: TransportKind | null;
  serverName: string | null;
  serverVersion: string | null;
  serverDescription: string | null;
  /** The revision that was agreed on. */
  protocolVersion: string | null;
  /** All that the server says it speaks, from 2026-07-28 on. */
  supportedVersions: string[];
  /** The same as `protocolVersion` if it is a known revision, else `unknown`. */
  specVersion: string | null;
  capabilities: PlainObject;
  capabilityFlags: CapabilityFlags;
  experimentalCapabilities: string[] | null;
  taskCapabilities: { list: boolean; cancel: boolean; augmentedToolCall: boolean } | null;
  instructions: string | null;
  /** As the server sent them. */
  tools: PlainObject[];
  resources: PlainObject[];
  resourceTemplates: PlainObject[];
  prompts: PlainObject[];
  /** How tools were chosen; null if there was nothing to choose from. */
  probeMode: ProbeMode | null;
  probe: { name: string; outcome: Outcome }[];
  x402: X402Entry;
  oauth: OAuthEntry;
  oauthFlags: OAuthFlags;
  /** Which parts were seen whole; what is missing from another part may be there all the same. */
  complete: Completeness;
  /** Whole milliseconds; null where it was not measured. */
  latency: { connect: number | null; ping: number | null; listTools: number | null };
  /** ISO 8601. */
  timestamp: string;
}

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
