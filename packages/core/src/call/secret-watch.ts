import { createScrubber } from '@schemakit/http';
import type { FetchBroker } from '../sandbox/fetch-broker.ts';
import type { BrokerRequest, SecretUse } from '../sandbox/host-message.ts';
import { createResponseMask } from '../sandbox/mask-response.ts';
import type { Finding } from '../schema/finding.ts';
import { callFinding } from './call-findings.ts';
import type { RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';

/**
 * Watches how the handlers of one call use secrets that they see only as tokens. Anything computed from a token, such as a
 * signature, is wrong, so requests with it are not sent: the handler needs a grant for the value.
 */
export interface SecretWatch {
  /** Records a use of a secret that the host process reports. */
  note(use: SecretUse, name: string): void;
  /** Findings for secrets that a plan was computed with; empty if it may be sent. */
  check(plan: RequestPlan): Finding[];
  /** A broker that refuses requests computed with secrets, and masks secrets in the answers. */
  guard(broker: FetchBroker): FetchBroker;
  /** All findings so far, even if the handler swallowed the errors. */
  findings(): Finding[];
}

export function watchSecrets(tool: string, vault: SecretVault): SecretWatch {
  const read = new Set<string>();
  const sent = new Set<string>();
  const caught = new Set<string>();
  const mask = createResponseMask(vault);

  const token = (name: string) => vault.visible[name] ?? '';

  /** A token that was read but is in no request was used to compute something. */
  function take(request: string): void {
    for (const name of read) {
      if (request.includes(token(name))) sent.add(name);
      else if (!sent.has(name)) caught.add(name);
      if (isSpelled(token(name), request)) caught.add(name);
    }
  }

  /** Tokens are replaced only in text, never in bytes. */
  function takeBytes(body: Uint8Array): void {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    for (const name of Object.keys(vault.visible)) {
      if (vault.isToken(name) && bytes.includes(token(name))) caught.add(name);
    }
  }

  const findings = () => [...caught].map((name) => notGranted(tool, name));

  return {
    note(use, name) {
      if (vault.isToken(name)) (use === 'read' ? read : caught).add(name);
    },
    check(plan) {
      if (read.size > 0) take(JSON.stringify(plan));
      return findings();
    },
    guard: (broker) => async (request, signal) => {
      if (read.size > 0) take(textOf(request));
      if (request.body instanceof Uint8Array) takeBytes(request.body);
      const [refused] = findings();
      if (refused !== undefined) throw new Error(refused.message);
      return mask(await broker(request, signal));
    },
    findings,
  };
}

/** Whether text contains a token in another encoding, such as base64, where it cannot be replaced. */
function isSpelled(token: string, text: string): boolean {
  const others = text.replaceAll(token, '');
  return createScrubber([token])(others) !== others;
}

function textOf({ url, headers, body = '' }: BrokerRequest): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1');
  return [url, ...Object.entries(headers).flat(), text].join('\n');
}

function notGranted(tool: string, name: string): Finding {
  const message = `A handler of ${tool} computes with the secret ${name} but sees only a token for it`;
  const hint = `If you trust the schema with the value: schemakit trust <file> --secret ${name}; in a program, loadSchema({ filePath, grants: { secrets: [${JSON.stringify(name)}] } }).`;
  return callFinding('SECRET_NOT_GRANTED', message, { path: tool, hint });
}
