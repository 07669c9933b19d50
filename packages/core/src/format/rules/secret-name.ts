import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { serverParamName } from '../template.ts';

/** Where a placeholder for a server parameter stands. */
export interface SecretPlace {
  /** The names in `requiredServerParams`. */
  secrets: ReadonlySet<string>;
  path: string;
  /** The place in words, such as `header "X-Api-Key"`. */
  place: string;
  report: Report;
}

/** The server parameter that `NAME` or `SERVER_PARAM:NAME` asks for; reports one that is not declared (specification 2.4, 7.1). */
export function secretName(placeholder: string, { secrets, path, place, report }: SecretPlace): string {
  const name = serverParamName(placeholder) ?? placeholder;
  if (!secrets.has(name)) {
    report(
      schemaFinding('VAL027', path, `serverParams not declared: ${place} uses {{${placeholder}}}`, {
        hint: `Add ${JSON.stringify(name)} to main.requiredServerParams.`,
      }),
    );
  }
  return name;
}
