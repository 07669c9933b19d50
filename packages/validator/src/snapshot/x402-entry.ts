import { distinct, field } from '../findings/plain-object.ts';
import { caip2Of } from '../payment/network-id.ts';

/** One place that asked for payment. */
export interface RestrictedCall {
  /** `(endpoint)` for an endpoint that lets nobody in without payment. */
  toolName: string;
  /** As the server sent it; null where it did not say. */
  paymentRequired: unknown;
}

/** One way to pay, in the words of version 2. Fields are as they came, or null. */
export interface PaymentOption {
  toolName: string;
  scheme: unknown;
  /** As it came. */
  network: unknown;
  /** The network as a CAIP-2 id, names of version 1 translated. */
  caip2: string | null;
  amount: unknown;
  asset: unknown;
  payTo: unknown;
  maxTimeoutSeconds: unknown;
  extra: unknown;
  isValid: boolean;
}

export interface X402Entry {
  /** The version of the first requirement that names one. */
  version: number | null;
  restrictedCalls: RestrictedCall[];
  paymentOptions: PaymentOption[];
  /** CAIP-2 ids, of all options. */
  networks: string[];
  schemes: string[];
  perTool: Record<string, { x402Version: unknown; resource: unknown; networks: string[]; options: PaymentOption[] }>;
}

/** What was found out about each way to pay of one call. */
type CheckedCall = { options: readonly { isValid: boolean }[] };

/** The payment section of a snapshot. `checked` holds one check for each call. */
export function x402Entry(restrictedCalls: RestrictedCall[], checked: readonly CheckedCall[]): X402Entry {
  const optionsOf = restrictedCalls.map((call, index) => optionsIn(call, checked[index]));
  const paymentOptions = optionsOf.flat();
  const versions = restrictedCalls.map(({ paymentRequired }) => field(paymentRequired, 'x402Version'));
  const perTool = restrictedCalls.map(({ toolName, paymentRequired }, index) => {
    const options = optionsOf[index] ?? [];
    const resource = field(paymentRequired, 'resource') ?? null;
    return [
      toolName,
      { x402Version: versions[index] ?? null, resource, networks: networksOf(options), options },
    ] as const;
  });
  return {
    version: versions.find((version) => typeof version === 'number') ?? null,
    restrictedCalls,
    paymentOptions,
    networks: networksOf(paymentOptions),
    schemes: distinct(paymentOptions.map(({ scheme }) => scheme).filter((scheme) => typeof scheme === 'string')),
    perTool: Object.fromEntries(perTool),
  };
}

function networksOf(options: readonly PaymentOption[]): string[] {
  return distinct(options.flatMap(({ caip2 }) => caip2 ?? []));
}

function optionsIn({ toolName, paymentRequired }: RestrictedCall, checked: CheckedCall | undefined): PaymentOption[] {
  const accepts = field(paymentRequired, 'accepts');
  const version = field(paymentRequired, 'x402Version');
  return (checked?.options ?? []).map(({ isValid }, index) => {
    const option: unknown = Array.isArray(accepts) ? accepts[index] : undefined;
    const value = (name: string): unknown => field(option, name) ?? null;
    const network = value('network');
    return {
      toolName,
      scheme: value('scheme'),
      network,
      caip2: typeof network === 'string' ? caip2Of(network, version) : null,
      amount: value(version === 1 ? 'maxAmountRequired' : 'amount'),
      asset: value('asset'),
      payTo: value('payTo'),
      maxTimeoutSeconds: value('maxTimeoutSeconds'),
      extra: value('extra'),
      isValid,
    };
  });
}
