import { x402ResourceServer } from '@x402/core/server';
import type { Network, PaymentRequired, PaymentRequirementsV1, SupportedResponse } from '@x402/core/types';
import type { Charge, Facilitator } from './facilitator.ts';
import { isAddress, type PaymentSettings, type Price, type TokenPrice } from './payment-settings.ts';

/** What a tool costs, in both versions of x402. */
export interface Offer {
  required: PaymentRequired;
  /** Of networks that version 1 has a name for. */
  legacy: PaymentRequirementsV1[];
}

/** How long a payment is valid: tasks are charged when they have ended, which takes as long as they are kept by default. */
const validSeconds = 60 * 60;

type Sellable = Pick<PaymentSettings, 'payTo' | 'network'>;

/** What facilitators support changes rarely, and the fee payers of Solana with it. */
const supportedMs = 60 * 60_000;

export function createOffers(
  settings: Sellable,
  facilitator: Facilitator,
): (tool: string, price: Price) => Promise<Offer> {
  let supported: { answer: Promise<SupportedResponse>; until: number } | undefined;
  function ask(): Promise<SupportedResponse> {
    if (supported === undefined || supported.until < Date.now()) {
      const answer = facilitator.supported();
      supported = { answer, until: Date.now() + supportedMs };
      answer.catch(() => (supported = undefined));
    }
    return supported.answer;
  }
  return async (tool, price) => {
    const answer = await ask();
    const server = new x402ResourceServer({ ...neverUsed, getSupported: () => Promise.resolve(answer) });
    const prices = await Promise.all([price].flat().map((each) => pricedOn(each, settings)));
    for (const { network } of prices)
      if (!answer.kinds.some((kind) => kind.scheme === 'exact' && kind.network === network))
        throw new PriceError(`The facilitator carries out no payments on ${network}`);
    await Promise.all([...new Set(prices.map(({ network }) => network))].map((network) => register(server, network)));
    await server.initialize();
    const accepts = await Promise.all(
      prices.map((each) =>
        server.buildPaymentRequirements({ scheme: 'exact', maxTimeoutSeconds: validSeconds, ...each }),
      ),
    );
    const resource = { url: `mcp://tool/${encodeURIComponent(tool)}`, mimeType: 'application/json' };
    const required = { x402Version: 2, resource, accepts: accepts.flat() };
    return { required, legacy: await legacyAccepts(required) };
  };
}

/** A price that nobody can pay as the settings are. */
class PriceError extends Error {
  override name = 'PriceError';
}

/** The gate asks the facilitator itself, because it keeps count of what was charged. */
const neverUsed = { verify: unused, settle: unused };

function unused(): Promise<never> {
  return Promise.reject(new Error('not used'));
}

async function pricedOn(price: string | TokenPrice, { payTo, network: usual }: Sellable) {
  const network = (typeof price === 'string' ? usual : (price.network ?? usual)) as Network;
  const receiver = typeof payTo === 'string' ? payTo : payTo[network];
  if (!isAddress(receiver, network)) throw new PriceError(`payTo has no address for ${network}`);
  if (typeof price === 'string' || network.startsWith('solana:')) return { network, payTo: receiver, price };
  // Clients sign with the name and version of the token, which are known for the usual ones.
  const { findDefaultAsset } = await import('@x402/evm');
  const { name, version } = price.extra ?? findDefaultAsset(price.asset, network) ?? {};
  if (!isAddress(price.asset, network)) throw new PriceError(`${price.asset} is no address of a token on ${network}`);
  if (name === undefined || version === undefined)
    throw new PriceError(`The price in ${price.asset} needs extra: { name, version } of the token, which clients sign`);
  return { network, payTo: receiver, price: { ...price, extra: { name, version } } };
}

/** Loads what a network needs: who takes no money on Solana does not install it. */
async function register(server: x402ResourceServer, network: Network): Promise<void> {
  if (network.startsWith('solana:')) {
    const { ExactSvmScheme } = await import('@x402/svm/exact/server');
    server.register(network, new ExactSvmScheme());
    return;
  }
  const { ExactEvmScheme } = await import('@x402/evm/exact/server');
  server.register(network, new ExactEvmScheme());
}

async function legacyAccepts({ resource, accepts }: PaymentRequired): Promise<PaymentRequirementsV1[]> {
  const legacy = accepts.map(async ({ amount, network, ...rest }) => {
    const name = await legacyNetwork(network);
    if (name === undefined) return [];
    const { url, mimeType = 'application/json' } = resource;
    const described = { resource: url, description: '', mimeType, outputSchema: {} };
    return [{ ...rest, ...described, network: name as Network, maxAmountRequired: amount }];
  });
  return (await Promise.all(legacy)).flat();
}

/** Version 1 names networks: `base` for `eip155:8453`. */
async function legacyNetwork(network: string): Promise<string | undefined> {
  if (network.startsWith('solana:')) {
    const { V1_TO_V2_NETWORK_MAP } = await import('@x402/svm');
    return keyOf(V1_TO_V2_NETWORK_MAP, network);
  }
  const { EVM_NETWORK_CHAIN_ID_MAP } = await import('@x402/evm/v1');
  return keyOf(EVM_NETWORK_CHAIN_ID_MAP, Number(network.slice('eip155:'.length)));
}

function keyOf(map: Readonly<Record<string, unknown>>, value: unknown): string | undefined {
  return Object.keys(map).find((key) => map[key] === value);
}

/** Picks the requirements that a payment was made for. They are ours: what the payment says about them may be made up. */
export function chargeOf(payment: Charge['paymentPayload'], { required, legacy }: Offer): Charge | undefined {
  if ('accepted' in payment) {
    const { scheme, network, asset, amount, payTo } = payment.accepted;
    const found = required.accepts.find(
      (each) =>
        each.scheme === scheme &&
        each.network === network &&
        each.amount === amount &&
        each.asset.toLowerCase() === asset.toLowerCase() &&
        each.payTo.toLowerCase() === payTo.toLowerCase(),
    );
    return found && { paymentPayload: payment, paymentRequirements: found };
  }
  const found = legacy.find(({ scheme, network }) => scheme === payment.scheme && network === payment.network);
  return found && { paymentPayload: payment, paymentRequirements: found };
}
