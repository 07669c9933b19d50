import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { finding, type ServiceFinding } from './finding.ts';
import { type ServiceCodeName, serviceCodes } from './service-codes.ts';

/** A refusal or failure, as RFC 9457 has it, with findings. */
export interface Problem {
  type: 'about:blank';
  title: string;
  status: number;
  detail: string;
  findings: ServiceFinding[];
}

/** An error that is answered with a problem. */
export interface ProblemError extends Error {
  problem: Problem;
  headers?: Readonly<Record<string, string>>;
}

export function problemOf(status: number, findings: ServiceFinding[]): Problem {
  const detail = findings.map(({ message }) => message).join(' ');
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, findings };
}

/** An error to throw in a route. */
export function problemError(
  code: ServiceCodeName,
  { headers, ...texts }: { path?: string; message?: string; hint?: string; headers?: Record<string, string> } = {},
): ProblemError {
  return withProblem(problemOf(serviceCodes[code].status, [finding(code, texts)]), headers);
}

export function withProblem(problem: Problem, headers?: Readonly<Record<string, string>>): ProblemError {
  return Object.assign(new Error(problem.detail), { problem, ...(headers && { headers }) });
}

/** The problem that an error is answered with. Unexpected errors say nothing about themselves. */
export function toProblem(error: unknown): Problem {
  const {
    problem,
    validation,
    validationContext = 'body',
    statusCode = 500,
    code,
  } = Object(error) as FastifyError & {
    problem?: Problem;
  };
  if (problem !== undefined) return problem;
  if (validation !== undefined)
    return problemOf(
      400,
      rootFaults(validation).map((fault) => invalid(validationContext, fault)),
    );
  if (statusCode === 413) return problemOf(413, [finding('SVC040')]);
  if (statusCode === 415) return problemOf(415, [finding('SVC041')]);
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY')
    return problemOf(400, [finding('SVC011', { message: 'The body is empty.' })]);
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return problemOf(400, [
      finding('SVC011', { message: 'The body is not valid JSON, or has a key `__proto__` or `constructor`.' }),
    ]);
  if (statusCode === 503) return problemOf(503, [finding('SVC052')]);
  if (statusCode >= 400 && statusCode < 500)
    return problemOf(400, [finding('SVC011', { message: `The request cannot be read: ${(error as Error).message}.` })]);
  return problemOf(500, [finding('SVC050')]);
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem.status === 500) request.log.error({ err: error }, 'A request failed');
  const { headers = {} } = Object(error) as Partial<ProblemError>;
  return reply
    .code(problem.status)
    .headers({ ...headers, 'cache-control': 'no-store' })
    .type('application/problem+json')
    .send(JSON.stringify(problem));
}

type Fault = NonNullable<FastifyError['validation']>[number];

/** One fault in place of those of each choice of an `anyOf`. */
function rootFaults(faults: readonly Fault[]): Fault[] {
  const choices = faults.filter(({ keyword }) => keyword === 'anyOf');
  const isInside = (fault: Fault, { schemaPath, instancePath }: Fault): boolean =>
    fault.schemaPath.startsWith(`${schemaPath}/`) && `${fault.instancePath}/`.startsWith(`${instancePath}/`);
  return faults
    .filter((fault) => !choices.some((choice) => isInside(fault, choice)))
    .map((fault) => {
      if (fault.keyword !== 'anyOf') return fault;
      const inside = faults.filter((other) => isInside(other, fault));
      const isOfType = ({ keyword, instancePath }: Fault): boolean =>
        keyword === 'type' && instancePath === fault.instancePath;
      // A choice whose type fits says what is wrong in it.
      const type = inside.flatMap(({ params }) => params.type ?? []);
      return inside.find((other) => !isOfType(other)) ?? { ...fault, params: { ...fault.params, type } };
    });
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** A fault that the JSON Schema check found. */
function invalid(where: string, fault: Fault): ServiceFinding {
  const { instancePath, params } = fault;
  const { missingProperty, additionalProperty } = params as Record<string, unknown>;
  const name = missingProperty ?? additionalProperty;
  const place = where === 'querystring' ? 'query' : where;
  const path = [place, ...instancePath.split('/').slice(1), ...(name === undefined ? [] : [String(name)])]
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
    .slice(0, 200);
  const what =
    missingProperty !== undefined ? 'is missing' : additionalProperty !== undefined ? 'is unknown' : expected(fault);
  return finding('SVC010', { path, message: `${path} ${what}.` });
}

function expected({ keyword, params, message = 'is invalid' }: Fault): string {
  const { type, allowedValues, limit, pattern } = params as Record<string, unknown>;
  const of = (unit: string): string => `${String(limit)} ${unit}${limit === 1 ? '' : 's'}`;
  switch (keyword) {
    case 'type':
    case 'anyOf':
      return `must be ${[type]
        .flat()
        .map((name) => kinds[String(name)] ?? name)
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${[allowedValues].flat().join(', ')}`;
    case 'minLength':
      return `must have at least ${of('character')}`;
    case 'maxLength':
      return `must have at most ${of('character')}`;
    case 'minItems':
      return `must have at least ${of('item')}`;
    case 'maxItems':
      return `must have at most ${of('item')}`;
    case 'maxProperties':
      return `must have at most ${of('field')}`;
    case 'minimum':
      return `must be ${String(limit)} or more`;
    case 'maximum':
      return `must be ${String(limit)} or less`;
    case 'uniqueItems':
      return 'must not have an item twice';
    case 'pattern':
      return `must match the pattern ${String(pattern)}`;
    default:
      return message;
  }
}
