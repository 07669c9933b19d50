import { compareAssessments, toSarif } from '@schemakit/validator';
import type { FastifyInstance } from 'fastify';
import type { KeptReport } from '../page/page-state.ts';
import { problemError } from '../problems/problem.ts';
import type { ReportStore } from '../reports/report-store.ts';
import { answers, problemAnswers } from './route-schema.ts';
import { compareAnswer, compareRequest, idParams, reportAnswer } from './schemas.ts';

interface ById {
  Params: { id: string };
}

const compareBytes = 4 * 1024 * 1024;

/** Kept reports. Whoever has the id may read one; whoever has the delete token may delete it. */
export function reportRoutes(app: FastifyInstance, { reports }: { reports: ReportStore }): void {
  const find = (id: string, path: string = 'params.id'): KeptReport => {
    const report = reports.find(id);
    if (report === undefined) throw problemError('SVC031', { path });
    return report;
  };
  app.get<ById>(
    '/api/reports/:id',
    { schema: { summary: 'Get a kept report', params: idParams, response: answers(reportAnswer) } },
    async ({ params: { id } }) => find(id),
  );
  app.get<ById>(
    '/api/reports/:id/sarif',
    {
      schema: {
        summary: 'Get a kept report as SARIF 2.1.0',
        params: idParams,
        response: answers({ type: 'object', additionalProperties: true }, 'application/sarif+json'),
      },
    },
    async ({ params: { id } }, reply) =>
      reply
        .type('application/sarif+json')
        .header('content-disposition', 'attachment; filename="report.sarif"')
        .send(JSON.stringify(toSarif(find(id).assessment))),
  );
  app.delete<ById & { Headers: { 'x-delete-token'?: string } }>(
    '/api/reports/:id',
    {
      schema: {
        summary: 'Delete a kept report',
        params: idParams,
        headers: {
          type: 'object',
          properties: { 'x-delete-token': { type: 'string', description: 'The `deleteToken` of the report' } },
        },
        response: { 204: { description: 'Deleted', type: 'null' }, ...problemAnswers },
      },
    },
    async ({ params: { id }, headers }, reply) => {
      const outcome = reports.remove(id, headers['x-delete-token'] ?? '');
      if (outcome === 'unknown') throw problemError('SVC031', { path: 'params.id' });
      if (outcome === 'refused') throw problemError('SVC023', { path: 'headers.x-delete-token' });
      return reply.code(204).send();
    },
  );
  app.post<{ Body: { before: string | object; after: string | object } }>(
    '/api/compare',
    {
      bodyLimit: compareBytes,
      schema: { summary: 'Compare two reports', body: compareRequest, response: answers(compareAnswer) },
    },
    async ({ body: { before, after } }) => {
      const read = (side: string | object, path: string) =>
        typeof side === 'string' ? find(side, path).assessment : side;
      return compareAssessments({ before: read(before, 'body.before'), after: read(after, 'body.after') });
    },
  );
}
