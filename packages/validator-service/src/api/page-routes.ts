import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import type { CheckJobs } from '../jobs/check-jobs.ts';
import type { Language, PageState } from '../page/page-state.ts';
import { type PageAssets, renderPage } from '../page/render.tsx';
import { problemError, sendProblem, toProblem } from '../problems/problem.ts';
import type { ReportStore } from '../reports/report-store.ts';
import { untilGone } from './check-routes.ts';

export interface PageRoutesOptions {
  /** The folder that Vite built. */
  folder: string;
  access: Access;
  jobs: CheckJobs;
  reports: ReportStore;
  limitRate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

type View = PageState extends infer State ? (State extends PageState ? Omit<State, keyof Common> : never) : never;
type Common = Pick<PageState, 'language' | 'isLanguageChosen' | 'publicUrl' | 'examples'>;

const examples = ['https://mcp.deepwiki.com/mcp', 'https://modelcontextprotocol.io', 'https://example.com'];

/** What people see: the page with its assets, reports to send on, and the form that works without script. */
export async function pageRoutes(app: FastifyInstance, options: PageRoutesOptions): Promise<void> {
  const { folder, access, jobs, reports, limitRate } = options;
  const assets = readAssets(folder);
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    cacheControl: false,
    preCompressed: true,
    // Names with a hash of what is in them never get other content.
    setHeaders: (reply, path) =>
      reply.header(
        'cache-control',
        `public, max-age=${/-[\w-]{8}\.\w+(?:\.br)?$/.test(path) ? '31536000, immutable' : 3600}`,
      ),
  });
  await app.register(async (form) => {
    form.removeAllContentTypeParsers();
    form.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_: FastifyRequest, text: string, done: (error: null, body: unknown) => void) =>
        done(null, new URLSearchParams(text)),
    );
    form.post('/check', { schema: { hide: true } }, check);
  });

  function send(request: FastifyRequest, reply: FastifyReply, view: View): FastifyReply {
    const common: Common = {
      language: languageOf(request),
      isLanguageChosen: isLanguage(Object(request.query).lang),
      publicUrl: access.originOf(request),
      examples,
    };
    const html = renderPage({ ...common, ...view } as PageState, assets);
    return reply.type('text/html; charset=utf-8').send(html);
  }

  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    access.grantSession(request, reply);
    return send(request, reply, { view: 'home' });
  });

  app.get<{ Params: { id: string } }>('/reports/:id', { schema: { hide: true } }, async (request, reply) => {
    const report = reports.find(request.params.id);
    reply.headers({ 'x-robots-tag': 'noindex' });
    access.grantSession(request, reply);
    if (report === undefined) return send(request, reply.code(404), { view: 'not-found' });
    // A kept report never changes, but it may be deleted, and the page around it gets newer.
    const etag = `"${createHash('sha256')
      .update(`${report.id} ${languageOf(request)} ${JSON.stringify(assets)}`)
      .digest('base64url')}"`;
    reply.headers({ 'cache-control': 'private, no-cache', etag, vary: 'accept-language' });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return send(request, reply, { view: 'report', report });
  });

  async function check(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const typed = fields.get('url') ?? '';
    const { lang } = Object(request.query) as { lang?: unknown };
    const refuse = (error: unknown): FastifyReply => {
      const { status, detail } = toProblem(error);
      if (status === 500) request.log.error({ err: error }, 'A request failed');
      return send(request, reply.code(status), { view: 'home', url: typed, problem: detail });
    };
    try {
      // Like the closed paths: a script without the token must not get around them.
      await limitRate(request, reply);
      access.check(request);
      if (fields.size > new Set(fields.keys()).size)
        throw problemError('SVC010', { path: 'body', message: 'A field of the form is given more than once.' });
      const url = typed.includes('://') ? typed.trim() : `https://${typed.trim()}`;
      const { reportId, reportProblem } = await jobs.run({ url }, { owner: request.ip, signal: untilGone(reply) });
      if (reportId === null) return refuse(problemError('SVC050', { message: reportProblem?.message ?? '' }));
      return reply.redirect(`/reports/${reportId}${isLanguage(lang) ? `?lang=${lang}` : ''}`, 303);
    } catch (error) {
      return refuse(error);
    }
  }

  app.setNotFoundHandler((request, reply) => {
    const { accept = '' } = request.headers;
    const allowed = methodsAt(app, request);
    if (allowed.length > 0) {
      const allow = allowed.join(', ');
      return sendProblem(problemError('SVC032', { message: `Use ${allow}.`, headers: { allow } }), request, reply);
    }
    const isApi = /^\/(?:api|mcp|assets)(?:\/|$)/.test(request.url);
    if (accept.includes('text/html') && !isApi) return send(request, reply.code(404), { view: 'not-found' });
    return sendProblem(problemError('SVC030'), request, reply);
  });
}

function readAssets(folder: string): PageAssets {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const { file, css = [] } = manifest['src/page/main.tsx'];
  return { script: `/${file}`, styles: css.map((name: string) => `/${name}`) };
}

/** `?lang=de`, or what the browser asks for first. */
function languageOf({ query, headers }: FastifyRequest): Language {
  const { lang } = Object(query) as { lang?: unknown };
  if (isLanguage(lang)) return lang;
  const wanted = (headers['accept-language'] ?? '').toLowerCase().match(/\b(?:de|en)\b/);
  return wanted?.[0] === 'de' ? 'de' : 'en';
}

function isLanguage(text: unknown): text is Language {
  return text === 'de' || text === 'en';
}

const methods = ['GET', 'POST', 'DELETE'] as const;

/** The methods of a path that exists. */
function methodsAt(app: FastifyInstance, { url }: FastifyRequest): string[] {
  const path = url.split('?')[0] ?? '';
  const pattern = path
    .replace(/^(\/api\/reports\/|\/reports\/)[^/]+/, '$1:id')
    .replace(/^\/badge\/[^/]+\.svg$/, '/badge/:host.svg');
  return methods.filter((method) => app.hasRoute({ method, url: pattern }));
}
