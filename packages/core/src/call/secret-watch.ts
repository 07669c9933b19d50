import { createScrubber } from '@schemakit/http';
import type { FetchBroker } from '../sandbox/fetch-broker.ts';
import type { BrokerRequest, SecretUse } from '../sandbox/host-message.ts';
import { createResponseMask } from '../sandbox/mask-response.ts';
import type { Finding } from '../schema/finding.ts';
import { callFinding } from './call-finding.ts';
import type { RequestPlan } from './plan-request.ts';
import type { SecretVault } from './secret-vault.ts';

/**
 * Follows what the handlers of one call do with secrets that they see only as tokens. Something that was computed from a
 * token, such as a signature, could only be wrong, so no request with it is sent: the handler needs the value, and for that a
 * grant.
 */
export interface SecretWatch {
  /** Takes what a host tells. */
  note(use: SecretUse, name: string): void;
  /** Says which secrets a plan was computed with; none for one that may be sent. */
  check(plan: RequestPlan): Finding[];
  /** A broker that refuses requests which were computed with secrets, and masks them in what comes back. */
  guard(broker: FetchBroker): FetchBroker;
  /** What was computed or refused so far, whatever the handler made of it. */
  findings(): Finding[];
}

/** Opens the watch of a call of `tool`. */
export function watchSecrets(tool: string, vault: SecretVault): SecretWatch {
  const read = new Set<string>();
  const sent = new Set<string>();
  const caught = new Set<string>();
  const mask = createResponseMask(vault);

  const token = (name: string) => vault.visible[name] ?? '';

  /** A token that was read is either in the request as it is, was in an earlier one, or was made into something else. */
  function take(request: string): void {
    for (const name of read) {
      if (request.includes(token(name))) sent.add(name);
      else if (!sent.has(name)) caught.add(name);
      if (isSpelled(token(name), request)) caught.add(name);
    }
  }

  /** Text comes as text: no value can take the place of a token among other bytes. */
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

/** Whether text has a token in another spelling, such as base64, where its value could not be put in. */
function isSpelled(token: string, text: string): boolean {
  const others = text.replaceAll(token, '');
  return createScrubber([token])(others) !== others;
}

function textOf({ url, headers, body = '' }: BrokerRequest): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1');
  return [url, ...Object.entries(headers).flat(), text].join('\n');
}

function notGranted(tool: string, name: string): Finding {
  const message = `A handler of ${tool} computes with the secret ${name}, and sees only a token of it`;
  const hint = `If you trust the schema with the value: schemakit trust <file> --secret ${name}; in a program, loadSchema({ filePath, grants: { secrets: [${JSON.stringify(name)}] } }).`;
  return callFinding('SECRET_NOT_GRANTED', message, { path: tool, hint });
}
