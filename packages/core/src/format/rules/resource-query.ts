import type { Report } from '../finding.ts';
import { isObject } from '../json.ts';
import type { ResourceQuery } from '../resource.ts';
import { resourceFinding } from '../resource-codes.ts';
import { fieldsOf } from '../schema/fields.generated.ts';
import { readSqlStatement } from '../sql-statement.ts';
import { splitPlaceholders } from '../template.ts';
import type { Input } from '../tool.ts';
import { dynamicInputs } from './automatic-queries.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { isServerParam, readQueryParameters } from './query-parameters.ts';
import { readRows } from './query-rows.ts';
import { reportQueryTests } from './query-tests.ts';

interface QueryContext {
  /** Path of the query. */
  path: string;
  /** The names in `requiredServerParams`. */
  secrets: ReadonlySet<string>;
  report: Report;
}

/** Reads one query: `sql` with a `?` for each parameter, or `{{DYNAMIC_SQL}}`. Undefined where it could not be run. */
export function readQuery(name: string, definition: unknown, context: QueryContext): ResourceQuery | undefined {
  const { path, report } = context;
  if (!isObject(definition)) {
    report(resourceFinding('RES008', path, 'a query must be an object'));
    return undefined;
  }
  reportUnknownFields(definition, fieldsOf.Query, { path, report });
  const description = textField(definition, 'description');
  if (description === undefined) {
    report(
      resourceFinding('RES009', `${path}.description`, `query ${name} has no description`, {
        hint: 'Say what it finds and by what; models choose by it.',
      }),
    );
  }
  const { inputs: declared, bindings, isReadable } = readQueryParameters(definition.parameters, context);
  const output = readRows(definition.output, context);
  const sql = readSql(definition, context);
  const isCallers = sql !== undefined && isDynamic(sql);
  const inputs = isCallers ? withDynamicInputs(declared) : declared;
  reportQueryTests(definition.tests, { ...(isReadable && { inputs }), path, report });
  if (sql === undefined) return undefined;
  const common = { name, description: description ?? '', sql, output, inputs, isDeclared: true };
  if (isCallers) return { ...common, bindings: [], isDynamic: true };
  const isRunnable = checkSql(sql, bindings.length, context);
  return isRunnable ? { ...common, bindings, isDynamic: false } : undefined;
}

function readSql(definition: Record<string, unknown>, { path, report }: QueryContext): string | undefined {
  const sql = textField(definition, 'sql');
  if (sql === undefined) {
    report(
      resourceFinding('RES008', `${path}.sql`, 'the query has no sql', {
        hint: "Write sql: 'SELECT … FROM … WHERE name LIKE ?'.",
      }),
    );
  }
  return sql;
}

function isDynamic(sql: string): boolean {
  return /^\s*\{\{\s*DYNAMIC_SQL\s*\}\}\s*;?\s*$/.test(sql);
}

/** A schema's own `sql` and `limit` inputs go before the general ones. Others have no place to go. */
function withDynamicInputs(inputs: readonly Input[]): readonly Input[] {
  return dynamicInputs.map((input) => inputs.find(({ name }) => name === input.name) ?? input);
}

function checkSql(sql: string, parameters: number, { path, secrets, report }: QueryContext): boolean {
  const place = `${path}.sql`;
  const secret = splitPlaceholders(sql).find(
    (part) => part.kind === 'placeholder' && isServerParam(part.name, secrets),
  );
  if (secret) {
    report(resourceFinding('RES016', place, 'a server parameter stands in the sql', { hint: 'Leave it out.' }));
    return false;
  }
  const reading = readSqlStatement(sql);
  if (!reading.ok) {
    report(resourceFinding('RES013', place, reading.problem, { hint: reading.hint }));
    return false;
  }
  const { placeholders } = reading.statement;
  if (placeholders === parameters) return true;
  report(
    resourceFinding('RES014', place, `the sql has ${placeholders} ?, the query has ${parameters} parameters`, {
      hint: 'The first parameter goes to the first ?, and so on. WITH input AS (SELECT ? AS term) makes one value usable many times.',
    }),
  );
  return false;
}
