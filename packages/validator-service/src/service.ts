import { join } from 'node:path';
import type { Writable } from 'node:stream';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { createAccess, hostCheck } from './access/access.ts';
import { createRateLimit } from './access/rate-limit.ts';
import { securityHeaders } from './access/security-headers.ts';
import { badgeRoute } from './api/badge.ts';
import { checkRoutes } from './api/check-routes.ts';
import { createMetrics } from './api/metrics.ts';
import { openApiRoutes, registerOpenApi } from './api/open-api.ts';
import { pageRoutes } from './api/page-routes.ts';
import { reportRoutes } from './api/report-routes.ts';
import { createCheck, type TargetAccess } from './jobs/check.ts';
import { createCheckJobs } from './jobs/check-jobs.ts';
import { createJobQueue } from './jobs/job-queue.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { problemError, sendProblem } from './problems/problem.ts';
import { openReports } from './reports/report-store.ts';
import { defaultSettings, type Settings } from './settings.ts';

export interface Service {
  /** Where it listens. */
  url: string;
  /** Refuses new requests, lets running checks end for up to 10 seconds, and stops. */
  close(): Promise<void>;
}

export interface ServiceOptions extends Partial<Settings>, TargetAccess {
  /** Gets the log, a JSON object per line. Default: none. */
  log?: Writable;
}

const graceMs = 10_000;
const answerMs = 3000;
const maxWaiting = 1000;
const bodyLimit = 64 * 1024;

/**
 * Starts the validator web service.
 *
 * @throws {Error} if the port is taken or the reports cannot be opened.
 * @example
 * const { url, close } = await createService({ port: 0 });
 * console.log((await fetch(`${url}/healthz`)).status); // 200
 * await close();
 */
export async function createService({ log, lookup, ca, ...given }: ServiceOptions = {}): Promise<Service> {
  const settings: Settings = { ...defaultSettings, ...given };
  const targets: TargetAccess = { ...(lookup && { lookup }), ...(ca && { ca }) };
  const app = openApp(settings, log);
  const reports = openReports(settings);
  const queue = createJobQueue({ maxRunning: settings.maxRunning, maxWaiting });
  const access = createAccess(settings);
  const check = createCheck(settings, targets);
  const metrics = createMetrics({ queue, reports });
  let isClosing = false;
  const jobs = createCheckJobs({
    ...{ queue, check, reports },
    onEnd({ url }, assessment) {
      metrics.onCheck(assessment);
      app.log.info({ target: URL.parse(url)?.origin, grade: assessment.grade.letter }, 'Checked');
    },
    onError: (error) => app.log.error({ err: error }, 'A report could not be kept'),
  });

  await app.register(cookie, { secret: reports.sessionKey });
  const limitRate = await createRateLimit(app, { ...settings, access });
  await registerOpenApi(app, settings.publicUrl);
  app.addHook('onRequest', securityHeaders(access));
  app.addHook('preParsing', async ({ headers }) => {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
    const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1] ?? 'utf-8';
    if (!/^utf-?8$/i.test(charset) || encoding !== 'identity') throw problemError('SVC041');
  });
  const checkHost = hostCheck(settings);
  if (checkHost) app.addHook('onRequest', async (request) => checkHost(request));
  app.addHook('onResponse', async (request, reply) => {
    metrics.onResponse(request, reply);
    const { statusCode: status, elapsedTime } = reply;
    request.log.info({ ...shownRequest(request), status, ms: Math.round(elapsedTime), ip: request.ip }, 'Answered');
  });
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_, reply) =>
    isClosing ? reply.code(503).send({ status: 'closing' }) : { status: 'ready' },
  );
  badgeRoute(app, { reports });
  const folder = join(import.meta.dirname, '../dist/page');
  await pageRoutes(app, { folder, access, jobs, reports, limitRate });
  let url = '';
  await app.register(async (closed) => {
    closed.addHook('onRequest', limitRate);
    closed.addHook('onRequest', async (request) => access.check(request));
    checkRoutes(closed, { jobs, queue, check, targets, ...settings });
    reportRoutes(closed, { reports });
    openApiRoutes(closed);
    closed.get('/metrics', { schema: { hide: true } }, async (_, reply) =>
      reply.type(metrics.contentType).send(await metrics.text()),
    );
    mcpRoute(closed, { token: access.ownToken, origin: () => url, maxBodyBytes: bodyLimit });
  });

  try {
    url = reachable(await app.listen({ host: settings.host, port: settings.port }));
    const { dataDir = 'memory', apiToken, allowPrivateTargets } = settings;
    app.log.info({ reports: dataDir, isOpen: apiToken === undefined, allowPrivateTargets }, 'Started');
  } catch (error) {
    reports.close();
    throw error;
  }
  return {
    url,
    async close() {
      isClosing = true;
      await queue.close(graceMs);
      await closeConnections(app);
      reports.close();
    },
  };
}

function openApp({ trustProxy }: Settings, log: Writable | undefined): FastifyInstance {
  const app = Fastify({
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    bodyLimit,
    // A host name has up to 253 characters.
    routerOptions: { maxParamLength: 300 },
    // For requests that no route gets to see.
    frameworkErrors: sendProblem,
    // A client that sends its request byte by byte.
    requestTimeout: 30_000,
    logger: log ? { level: 'info', stream: log, serializers: { req: shownRequest } } : false,
    // One line per request is ours.
    logController: new LogController({ disableRequestLogging: true }),
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true, allowUnionTypes: true } },
  });
  app.removeContentTypeParser('text/plain');
  // Answers are what the validator says, in full: their schemas describe them.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setErrorHandler(sendProblem);
  return app;
}

/** Lets answers that are on their way arrive. Connections that clients keep open for later end at once. */
async function closeConnections(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  const stuck = setTimeout(() => app.server.closeAllConnections(), answerMs);
  await app.close();
  clearInterval(idle);
  clearTimeout(stuck);
}

/** Without its address, which may have the id of a report or a target. */
function shownRequest({ method, routeOptions }: FastifyRequest): { method: string; route: string } {
  return { method, route: routeOptions?.url ?? 'none' };
}

/** The address that the service itself can be called at. */
function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
