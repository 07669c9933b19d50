import { distinct, field } from '../findings/plain-object.ts';
import { plainText } from '../findings/plain-text.ts';
import { caip2Of } from '../payment/network-id.ts';

/** A tool or endpoint that requires payment. */
export interface RestrictedCall {
  /** `(endpoint)` if the endpoint itself requires payment. */
  toolName: string;
  /** As sent by the server; null if missing. */
  paymentRequired: unknown;
}

/** A payment option, with the field names of version 2. Values are unchecked, or null. */
export interface PaymentOption {
  toolName: string;
  scheme: unknown;
  network: unknown;
  /** The network as a CAIP-2 id. */
  caip2: string | null;
  amount: unknown;
  asset: unknown;
  payTo: unknown;
  maxTimeoutSeconds: unknown;
  extra: unknown;
  isValid: boolean;
}

export interface X402Entry {
  /** The version of the first requirement that has one. */
  version: number | null;
  restrictedCalls: RestrictedCall[];
  paymentOptions: PaymentOption[];
  /** CAIP-2 ids, of all options; sorted, as the order of tools may change. */
  networks: string[];
  schemes: string[];
  perTool: Record<string, { x402Version: unknown; resource: unknown; networks: string[]; options: PaymentOption[] }>;
}

/** A location with the name of the tool instead of its index, which depends on the order of the list. */
export function placeOf(location: string, calls: readonly Pick<RestrictedCall, 'toolName'>[]): string {
  return location.replace(/^restrictedCalls\[(\d+)\]/, (all, index: string) => {
    const call = calls[Number(index)];
    return call === undefined ? all : `payment[${plainText(call.toolName, 80)}]`;
  });
}

type CheckedCall = { options: readonly { isValid: boolean }[] };

/** The payment section of a snapshot. `checked` corresponds to `restrictedCalls`. */
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
    schemes: distinct(paymentOptions.map(({ scheme }) => scheme).filter((scheme) => typeof scheme === 'string')).sort(),
    perTool: Object.fromEntries(perTool),
  };
}

function networksOf(options: readonly PaymentOption[]): string[] {
  return distinct(options.flatMap(({ caip2 }) => caip2 ?? [])).sort();
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
