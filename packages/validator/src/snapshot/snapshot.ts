import type { TransportKind } from '../connect/session.ts';
import type { PlainObject } from '../findings/plain-object.ts';
import type { ProbeMode } from '../input/start-options.ts';
import { type CapabilityFlags, supportsMcpApps, supportsTasks } from '../list/capability-flags.ts';
import type { ListName } from '../list/discover.ts';
import type { OAuthEntry, OAuthFlags } from '../oauth/oauth-entry.ts';
import { familyOf } from '../payment/network-id.ts';
import type { Outcome } from '../probe/probe-tools.ts';
import type { X402Entry } from './x402-entry.ts';

/** The twelve categories of a server. */
export interface Categories {
  /** The endpoint sent any HTTP response; a stdio server responded. */
  isReachable: boolean;
  supportsMcp: boolean;
  hasTools: boolean;
  hasResources: boolean;
  hasPrompts: boolean;
  /** A tool or the endpoint itself requires payment. */
  supportsX402: boolean;
  /** At least one payment option has no `ERROR`. */
  hasValidPaymentRequirements: boolean;
  supportsExactScheme: boolean;
  supportsEvm: boolean;
  supportsSolana: boolean;
  supportsTasks: boolean;
  supportsMcpApps: boolean;
}

/** Parts of a snapshot that may be incomplete. */
export type Part = 'server' | 'x402' | 'oauth' | ListName;

/** Which parts are complete. Items missing from other parts may exist. */
export type Completeness = Record<Part, boolean>;

/** The observations as plain JSON. Every field is present; null or empty if unknown. */
export interface Entries {
  /** The URL, or the command line of a stdio server. */
  endpoint: string | null;
  transport: TransportKind | null;
  serverName: string | null;
  serverVersion: string | null;
  serverDescription: string | null;
  /** The negotiated revision. */
  protocolVersion: string | null;
  /** Supported revisions, from 2026-07-28 on. */
  supportedVersions: string[];
  /** `protocolVersion` if it is a known revision, else `unknown`. */
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
  /** How tools were chosen; null without a session. */
  probeMode: ProbeMode | null;
  probe: { name: string; outcome: Outcome }[];
  x402: X402Entry;
  oauth: OAuthEntry;
  oauthFlags: OAuthFlags;
  complete: Completeness;
  /** Whole milliseconds; null if not measured. */
  latency: { connect: number | null; ping: number | null; listTools: number | null };
  /** ISO 8601. */
  timestamp: string;
}

/** Derives the twelve categories from the entries. */
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
