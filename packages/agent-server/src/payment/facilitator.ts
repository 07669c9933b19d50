import { createHttpClient, HttpError } from '@schemakit/http';
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

/** @param options.url Its address is approved, also if it is private. */
export function openFacilitator({ url, timeoutMs = 30_000, headers: given }: FacilitatorSettings): Facilitator {
  const policy = { privateOrigins: [new URL(url).origin] };

  async function headersFor(path: keyof Facilitator): Promise<Readonly<Record<string, string>>> {
    try {
      return (typeof given === 'function' ? await given(path) : given) ?? {};
    } catch {
      // Clients read this message, and the error may quote a key.
      throw new Error('The headers for the facilitator could not be made');
    }
  }

  async function ask<Name extends string>(
    path: keyof Facilitator,
    field: Name,
    charge?: Charge,
  ): Promise<{ [Key in Name]: unknown }> {
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
        throw new Error(`The facilitator cannot be reached: ${error instanceof HttpError ? error.message : error}`);
      });
    const value = parsed(answer.text());
    // Facilitators refuse payments with status 400, too.
    if (Object.hasOwn(value, field)) return value as { [Key in Name]: unknown };
    throw new Error(`The facilitator answered /${path} with status ${answer.status} and without ${field}`);
  }
  return {
    supported: async () => (await ask('supported', 'kinds')) as unknown as SupportedResponse,
    verify: async (charge) => (await ask('verify', 'isValid', charge)) as unknown as VerifyResponse,
    settle: async (charge) => (await ask('settle', 'success', charge)) as unknown as SettleResponse,
  };
}

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
