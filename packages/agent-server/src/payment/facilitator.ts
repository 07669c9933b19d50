import { createHttpClient } from '@schemakit/http';
import type {
  PaymentPayload,
  PaymentPayloadV1,
  PaymentRequirements,
  PaymentRequirementsV1,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '@x402/core/types';
import type { FacilitatorSettings } from './payment-settings.ts';

/** A payment and what it has to pay. */
export interface Charge {
  paymentPayload: PaymentPayload | PaymentPayloadV1;
  paymentRequirements: PaymentRequirements | PaymentRequirementsV1;
}

/** The service that checks payments and carries them out. Each function rejects if it gives no usable answer in time. */
export interface Facilitator {
  supported(): Promise<SupportedResponse>;
  verify(charge: Charge): Promise<VerifyResponse>;
  /** After a rejection, nobody knows whether the payment was carried out. */
  settle(charge: Charge): Promise<SettleResponse>;
}

/** One pool of connections for all gates. */
const client = createHttpClient({ retries: 0, maxBytes: 1024 * 1024 });

/**
 * @param options.url Its address is approved, also if it is private.
 * @param onError Receives details that are not for clients.
 */
export function openFacilitator(
  { url, timeoutMs = 30_000, headers: given }: FacilitatorSettings,
  onError: (error: Error) => void = () => {},
): Facilitator {
  const policy = { privateOrigins: [new URL(url).origin] };

  /** Clients read the message: it has no details, which may be secrets of the operator. */
  function failed(message: string, cause: unknown): Error {
    onError(new Error(`${message}: ${cause instanceof Error ? cause.message : cause}`, { cause }));
    return new Error(message);
  }

  async function headersFor(path: keyof Facilitator): Promise<Readonly<Record<string, string>>> {
    try {
      return (typeof given === 'function' ? await given(path) : given) ?? {};
    } catch (error) {
      throw failed('The headers for the facilitator could not be made', error);
    }
  }

  async function ask<Answer extends object>(
    path: keyof Facilitator,
    isUsable: (answer: Partial<Record<keyof Answer, unknown>>, isOk: boolean) => boolean,
    charge?: Charge,
  ): Promise<Answer> {
    const own = await headersFor(path);
    const sent = {
      url: `${url.replace(/\/+$/, '')}/${path}`,
      method: charge === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...own },
      ...(charge && { body: JSON.stringify({ x402Version: charge.paymentPayload.x402Version, ...charge }) }),
    };
    const answer = await client
      .request(sent, { policy, timeoutMs, idleTimeoutMs: timeoutMs, secretHeaders: Object.keys(own) })
      .catch((error: unknown) => {
        throw failed('The facilitator cannot be reached', error);
      });
    const value = parsed(answer.text()) as Answer;
    if (isUsable(value, answer.status < 300)) return value;
    throw failed(`The facilitator gave no usable answer at /${path}`, `status ${answer.status}`);
  }

  return {
    supported: () => ask<SupportedResponse>('supported', ({ kinds }, isOk) => isOk && Array.isArray(kinds)),
    // Facilitators refuse payments with status 400, too.
    verify: (charge) =>
      ask<VerifyResponse>('verify', ({ isValid }, isOk) => isValid === false || (isOk && isValid === true), charge),
    settle: (charge) =>
      ask<SettleResponse>(
        'settle',
        ({ success, transaction, network }, isOk) =>
          success === false ||
          (isOk && success === true && isName(transaction) && isName(network) && isPlaceOf(charge, network)),
        charge,
      ),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Version 1 has several names for a network. */
function isPlaceOf({ paymentPayload, paymentRequirements }: Charge, network: string): boolean {
  return paymentPayload.x402Version === 1 || network === paymentRequirements.network;
}

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
