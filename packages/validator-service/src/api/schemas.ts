import { layerNames } from '@schemakit/validator';

type JsonSchema = Readonly<Record<string, unknown>>;

const string = { type: 'string' } as const;
const strings = { type: 'array', items: string } as const;
const boolean = { type: 'boolean' } as const;
/** What the validator defines: see docs/validator.md. */
const open = { type: 'object', additionalProperties: true } as const;
const flags = { type: 'object', additionalProperties: boolean } as const;

function object(properties: JsonSchema, required: readonly string[], description?: string): JsonSchema {
  return { type: 'object', ...(description && { description }), properties, required };
}

/** A request: unknown fields are mistakes. */
function request(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { ...object(properties, required), additionalProperties: false };
}

const url = {
  ...string,
  minLength: 1,
  maxLength: 2048,
  description: 'The address to check, such as https://example.com/mcp',
};
const timeout = {
  type: 'integer',
  minimum: 1,
  maximum: 60_000,
  description: 'For the whole check, in milliseconds. Default 15,000.',
};
const rpcNodes = {
  type: 'object',
  description: 'URLs of nodes by alias or id of a chain, such as BASE_MAINNET',
  maxProperties: 32,
  additionalProperties: { anyOf: [string, { ...strings, maxItems: 8 }] },
};
const chainId = { anyOf: [{ type: 'integer' }, string], description: '8453, eip155:8453 or BASE_MAINNET' };
const agentId = { type: 'integer', minimum: 0, description: 'The id of the agent in the registry' };
const ipfsGateways = { ...strings, maxItems: 8, description: 'Gateways for ipfs:, tried in order' };

export const validateRequest: JsonSchema = request({ url, timeout }, ['url']);

export const assessRequest: JsonSchema = request(
  {
    url,
    timeout,
    erc8004: request({ rpcNodes, agentId, chainId, ipfsGateways }, []),
    headers: {
      type: 'object',
      description: 'Sent to the origin of the address only. Never stored or logged.',
      maxProperties: 20,
      additionalProperties: { ...string, maxLength: 8192 },
    },
    layers: {
      type: 'array',
      description: 'The layers to check. Default: all.',
      items: { enum: layerNames },
      minItems: 1,
      uniqueItems: true,
    },
  },
  ['url'],
);

export const streamQuery: JsonSchema = request({ url, timeout: { ...string, pattern: '^[1-9][0-9]{0,4}$' } }, ['url']);

export const lookupRequest: JsonSchema = request({ agentId, chainId, rpcNodes, ipfsGateways, timeout }, [
  'agentId',
  'chainId',
]);

const side = {
  anyOf: [{ ...string, maxLength: 64 }, open],
  description: 'The id of a report, or the result of an assessment',
};

export const compareRequest: JsonSchema = request({ before: side, after: side }, ['before', 'after']);

const finding = object(
  {
    id: string,
    code: string,
    severity: { enum: ['ERROR', 'WARNING', 'INFO'] },
    layer: { enum: [...layerNames, null] },
    location: string,
    text: string,
    evidence: open,
    why: string,
    fix: string,
    source: string,
  },
  ['code', 'severity', 'location', 'text'],
);
const findings = { type: 'array', items: finding };
const result = { status: boolean, messages: strings, findings };

const layer = object(
  {
    detected: boolean,
    state: { enum: ['passed', 'failed', 'not-detected', 'not-evaluated'] },
    skipped: { ...string, description: 'Why there is no more' },
    ...result,
    categories: flags,
    entries: open,
    durationMs: { type: 'integer' },
  },
  ['detected', 'state'],
);

const letter = { enum: ['A', 'B', 'C', 'D', 'F'] };
const grade = object(
  {
    letter,
    coverage: object({ seen: { type: 'integer' }, of: { type: 'integer' } }, ['seen', 'of']),
    holdsDown: { ...strings, description: 'Ids of the findings that keep the letter from being better' },
    next: { anyOf: [object({ letter, mend: strings }, ['letter', 'mend']), { type: 'null' }] },
  },
  ['letter', 'coverage', 'holdsDown', 'next'],
);

const assessmentFields = {
  ...result,
  categories: flags,
  entries: open,
  layers: object(Object.fromEntries(layerNames.map((name) => [name, layer])), layerNames),
  grade,
};
const assessment = object(assessmentFields, Object.keys(assessmentFields));

const serviceFinding = object(
  { code: string, severity: { enum: ['error', 'warning', 'info'] }, path: string, message: string, hint: string },
  ['code', 'severity', 'path', 'message', 'hint'],
);

export const assessAnswer: JsonSchema = object(
  {
    ...assessmentFields,
    reportId: { type: ['string', 'null'], description: 'Null if the report could not be kept' },
    deleteToken: { type: ['string', 'null'], description: 'For DELETE /api/reports/{id}' },
    reportProblem: serviceFinding,
  },
  [...Object.keys(assessmentFields), 'reportId', 'deleteToken'],
);

const section = object(
  {
    status: { ...boolean, description: 'It is there, and no finding is an ERROR' },
    categories: flags,
    summary: { ...open, properties: { text: string }, required: ['text'] },
    messages: { ...strings, description: 'Findings as `CODE location: text`' },
  },
  ['status', 'categories', 'summary', 'messages'],
);

export const validateAnswer: JsonSchema = object({ mcp: section, a2a: section, ui: section, oauth: section }, [
  'mcp',
  'a2a',
  'ui',
  'oauth',
]);

export const lookupAnswer: JsonSchema = { ...object(result, Object.keys(result)), additionalProperties: true };

export const compareAnswer: JsonSchema = object({ ...result, hasChanges: boolean, diff: open }, [
  ...Object.keys(result),
  'hasChanges',
  'diff',
]);

export const reportAnswer: JsonSchema = object({ id: string, url: string, createdAt: string, assessment }, [
  'id',
  'url',
  'createdAt',
  'assessment',
]);

export const idParams: JsonSchema = object({ id: { ...string, maxLength: 64 } }, ['id']);

/** RFC 9457. */
export const problem: JsonSchema = object(
  {
    type: string,
    title: string,
    status: { type: 'integer' },
    detail: string,
    findings: { type: 'array', items: serviceFinding },
  },
  ['type', 'title', 'status', 'detail', 'findings'],
);
