import { type ServiceCodeName, serviceCodes } from './service-codes.ts';

export type Severity = 'error' | 'warning' | 'info';

/** What is wrong, where, and what to do. */
export interface ServiceFinding {
  code: string;
  severity: Severity;
  /** A field of the request such as `body.url`, a header, or a setting. Empty for the whole request. */
  path: string;
  message: string;
  hint: string;
}

/** A finding by its code, with the texts of the table unless better ones are given. */
export function finding(
  code: ServiceCodeName,
  { path = '', message, hint }: { path?: string; message?: string; hint?: string } = {},
): ServiceFinding {
  const { severity, meaning, hint: usual } = serviceCodes[code];
  return { code, severity, path, message: message ?? meaning, hint: hint ?? usual };
}
