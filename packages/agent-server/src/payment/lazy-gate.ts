import type { HttpOptions } from '@schemakit/server';
import type { PaymentGateOptions } from './payment-gate.ts';

/** A payment gate whose packages are loaded now, and not before: only servers with prices need them. */
export function lazyGate(
  options: PaymentGateOptions,
  onError: ((error: Error) => void) | undefined,
): NonNullable<HttpOptions['gate']> {
  const loading = import('./payment-gate.ts').then(({ paymentGate }) => paymentGate(options));
  loading.catch(onError);
  return (request, response, next) => {
    loading.then(
      (gate) => gate(request, response, next),
      () => {
        const error = { code: -32000, message: 'The server cannot take payments: the packages of x402 are missing.' };
        response.writeHead(503, { 'Content-Type': 'application/json', Connection: 'close' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      },
    );
  };
}
