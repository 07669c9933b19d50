import type { PaymentGate, PaymentGateOptions } from './payment-gate.ts';

/** A payment gate whose packages are loaded now, and not before: only servers with prices need them. */
export function lazyGate(options: PaymentGateOptions): PaymentGate {
  const loading = import('./payment-gate.ts').then(({ paymentGate }) => paymentGate(options));
  loading.catch(options.onError ?? (() => {}));
  const gate = (...[request, response, next]: Parameters<PaymentGate>) => {
    const refuse = () => {
      const error = { code: -32000, message: 'The server cannot take payments: the packages of x402 are missing.' };
      response.writeHead(503, { 'Content-Type': 'application/json', Connection: 'close' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    };
    void loading.then((loaded) => loaded(request, response, next), refuse);
  };
  return Object.assign(gate, {
    settleTask: async (taskId: string, result: unknown) => (await loading).settleTask(taskId, result),
    check: async () => (await loading).check(),
  });
}
