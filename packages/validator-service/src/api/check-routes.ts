import { type Assessment, type LayerName, type LookupOptions, lookupAgent } from '@schemakit/validator';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Check, type CheckInput, refuseOptions, type TargetAccess } from '../jobs/check.ts';
import type { CheckJobs } from '../jobs/check-jobs.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { problemError } from '../problems/problem.ts';
import { resumed, sendEvents } from './event-stream.ts';
import { answers } from './route-schema.ts';
import {
  assessAnswer,
  assessRequest,
  lookupAnswer,
  lookupRequest,
  streamQuery,
  validateAnswer,
  validateRequest,
} from './schemas.ts';

export interface CheckRoutesOptions {
  jobs: CheckJobs;
  queue: JobQueue;
  check: Check;
  targets: TargetAccess;
  allowPrivateTargets: boolean;
}

/** The three endpoints of the specification, and the stream. */
export function checkRoutes(
  app: FastifyInstance,
  { jobs, queue, check, targets, ...options }: CheckRoutesOptions,
): void {
  app.post<{ Body: CheckInput }>(
    '/api/assess',
    {
      schema: {
        summary: 'Assess an endpoint',
        description:
          'Checks an endpoint in eight layers. Nothing that may write is called. A target that fails is an answer with `status` false. ' +
          'With `Accept: text/event-stream` the answer is the stream of `/api/assess/stream`.',
        body: assessRequest,
        response: answers(assessAnswer),
      },
    },
    async ({ body, headers, ip: owner }, reply) => {
      if (headers.accept?.includes('text/event-stream'))
        return sendEvents(reply, { job: jobs.start(body, owner), after: 0 });
      return jobs.run(body, { owner, signal: untilGone(reply) });
    },
  );
  app.get<{ Querystring: { url: string; timeout?: string } }>(
    '/api/assess/stream',
    {
      exposeHeadRoute: false,
      schema: {
        summary: 'Assess an endpoint, layer by layer',
        description:
          'Server-sent events: `queued` { position }, `layer` { name, layer }, and last `end`, with the answer of `POST /api/assess`, ' +
          'or `problem`. A client that comes back with `Last-Event-ID` within five minutes of the end gets the rest.',
        querystring: streamQuery,
        response: answers({ type: 'string' }, 'text/event-stream'),
      },
    },
    async ({ query: { url, timeout }, headers, ip: owner }, reply) => {
      const input = { url, ...(timeout !== undefined && { timeout: Number(timeout) }) };
      const stream = resumed(headers['last-event-id'], { jobs, url }) ?? { job: jobs.start(input, owner), after: 0 };
      // Tells a browser not to come back.
      if (stream.job.isOver(stream.after)) return reply.code(204).send();
      return sendEvents(reply, stream);
    },
  );
  app.post<{ Body: { url: string; timeout?: number } }>(
    '/api/validate',
    {
      schema: {
        summary: 'Validate MCP, A2A, MCP Apps and OAuth',
        body: validateRequest,
        response: answers(validateAnswer),
      },
    },
    ({ body, ip: owner }, reply) =>
      queue.run(
        async (signal) => {
          const layers = Object.values(sections);
          return sectionsOf(await check({ ...body, layers }, { signal }));
        },
        { owner, signal: untilGone(reply) },
      ),
  );
  app.post<{ Body: LookupOptions }>(
    '/api/lookup',
    {
      schema: {
        summary: 'Look up an agent (ERC-8004)',
        description:
          'Registration, endpoints, classification and reputation of an agent, read from its chain through `rpcNodes`.',
        body: lookupRequest,
        response: answers(lookupAnswer),
      },
    },
    ({ body, ip: owner }, reply) =>
      queue.run(
        async (signal) => {
          const found = await lookupAgent({ ...body, ...targets, publicOnly: !options.allowPrivateTargets, signal });
          refuseOptions(found.findings);
          return found;
        },
        { owner, signal: untilGone(reply) },
      ),
  );
}

/** Aborts when the client leaves before it has the answer. */
export function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) gone.abort(problemError('SVC011', { message: 'The client has left.' }));
  });
  return gone.signal;
}

const sections = { mcp: 'mcp', a2a: 'a2a', ui: 'apps', oauth: 'oauth' } as const satisfies Record<string, LayerName>;

interface ValidationSection {
  status: boolean;
  categories: Record<string, boolean>;
  summary: Record<string, unknown> & { text: string };
  messages: string[];
}

function sectionsOf(assessment: Assessment): Record<string, ValidationSection> {
  return Object.fromEntries(Object.entries(sections).map(([name, layer]) => [name, sectionOf(assessment, layer)]));
}

function sectionOf({ layers, findings }: Assessment, name: LayerName): ValidationSection {
  const layer = layers[name];
  const own = findings.filter((found) => found.layer === name);
  const messages = own.map(({ code, location, text }) => `${code} ${location}: ${text}`);
  if (!layer.detected) {
    const { state, skipped } = layer;
    return { status: false, categories: {}, summary: { text: skipped, state }, messages };
  }
  const { status, state, categories, durationMs } = layer;
  const countOf = (severity: string) => own.filter((found) => found.severity === severity).length;
  const [errorCount, warningCount] = [countOf('ERROR'), countOf('WARNING')];
  const text = `${state === 'passed' ? 'Passed' : 'Failed'}: ${errorCount} errors, ${warningCount} warnings.`;
  return { status, categories, summary: { text, state, errorCount, warningCount, durationMs }, messages };
}
