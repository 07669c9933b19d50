import type { Assessment } from '@schemakit/validator';
import { layerNames } from '@schemakit/validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { ReportStore } from '../reports/report-store.ts';

export interface Metrics {
  /** In the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
  onResponse(request: FastifyRequest, reply: FastifyReply): void;
  onCheck(assessment: Assessment): void;
}

export function createMetrics({ queue, reports }: { queue: JobQueue; reports: ReportStore }): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'schemakit_validator_request_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.01, 0.1, 1, 10, 60],
    registers,
  });
  const checks = new Counter({
    name: 'schemakit_validator_checks_total',
    help: 'Finished assessments by grade',
    labelNames: ['grade'],
    registers,
  });
  const layers = new Histogram({
    name: 'schemakit_validator_layer_seconds',
    help: 'Duration of the layers of assessments',
    labelNames: ['layer'],
    buckets: [0.1, 0.5, 1, 5, 15, 60],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name: `schemakit_validator_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  gauge('jobs_running', 'Checks that run', () => queue.running);
  gauge('jobs_waiting', 'Checks that wait', () => queue.waiting);
  gauge('reports', 'Kept reports', () => reports.count());
  return {
    text: () => register.metrics(),
    contentType: register.contentType,
    onResponse({ method, routeOptions }, reply) {
      // The pattern of the route: a path may have the id of a report.
      const labels = { method, route: routeOptions.url ?? 'none', status: reply.statusCode };
      requests.observe(labels, reply.elapsedTime / 1000);
    },
    onCheck({ grade, layers: found }) {
      checks.inc({ grade: grade.letter });
      for (const layer of layerNames) {
        const result = found[layer];
        if (result.detected) layers.observe({ layer }, result.durationMs / 1000);
      }
    },
  };
}
