import type { Finding } from '@schemakit/core';

/** A server cannot be made of what it was given. `findings` has all that is wrong: code, place, what was expected, what to do. */
export class ServerOptionsError extends TypeError {
  readonly findings: readonly Finding[];

  /** @param method - Named in the message. */
  constructor(method: string, findings: readonly Finding[]) {
    const lines = findings.map(
      ({ code, message, hint }) => `${code} ${message}.${hint === undefined ? '' : ` ${hint}`}`,
    );
    super([`${method} cannot make a server of this.`, ...lines].join('\n'));
    this.name = 'ServerOptionsError';
    this.findings = findings;
  }
}
