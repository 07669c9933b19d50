import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { CheckEvent, CheckJob, CheckJobs } from '../jobs/check-jobs.ts';

/** Proxies close connections on which nothing is sent. */
const heartbeatMs = 15_000;

/** Sends the events of a job as server-sent events (WHATWG HTML, 9.2). Their ids name the job, so that a client can come back. */
export function sendEvents(reply: FastifyReply, { job, after }: { job: CheckJob; after: number }): FastifyReply {
  return reply
    .headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    .send(Readable.from(frames(job, after)));
}

async function* frames(job: CheckJob, after: number): AsyncGenerator<string> {
  const events = job.follow(after);
  let next = events.next();
  for (;;) {
    const heartbeat = new AbortController();
    const silence = wait(heartbeatMs, undefined, heartbeat).catch(() => undefined);
    const event = await Promise.race([next, silence]);
    heartbeat.abort();
    if (event === undefined) yield ': waiting\n\n';
    else if (event.done) return;
    else {
      yield frame(job, event.value);
      next = events.next();
    }
  }
}

function frame({ id }: CheckJob, { name, number, data }: CheckEvent): string {
  return `id: ${id}.${number}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The job that a client comes back to, and the number of the last event that it saw. The check of another address is none. */
export function resumed(
  lastEventId: unknown,
  { jobs, url }: { jobs: CheckJobs; url: string },
): { job: CheckJob; after: number } | undefined {
  const [, id, number] = /^([\w-]{22})\.(\d{1,9})$/.exec(String(lastEventId)) ?? [];
  const job = id === undefined ? undefined : jobs.find(id);
  return job?.url === url ? { job, after: Number(number) } : undefined;
}
