// BullMQ alone: queues jobs, and works on them in the rounds of our runs. A round waits as long as the model takes, and stores its number.
//
// Arguments: the URL of the store; name of the queue; jobs to queue (0: none); rounds of a
// job; milliseconds of a round; jobs at once (0: only queues).
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq';

const [url, name, jobs, rounds, milliseconds, concurrency] = process.argv.slice(2);
const isRedis = url.startsWith('redis:');
const classes = isRedis ? { Queue, Worker } : withBackend(createPostgresBackend);
const connection = isRedis ? { url, maxRetriesPerRequest: null } : { connectionString: url, migrate: true };

const queue = new classes.Queue(name, { connection });
await queue.addBulk(Array.from({ length: Number(jobs) }, () => ({ name: 'run', data: { round: 0 } })));
await queue.close();

let made = 0;
const work = async (job) => {
  for (let { round } = job.data; round < Number(rounds); round += 1, made += 1) {
    await sleep(Number(milliseconds));
    await job.updateData({ round: round + 1 });
  }
};
// The lease is as long as ours.
const settings = { connection, concurrency: Number(concurrency), lockDuration: 5_000, stalledInterval: 2_000 };
const worker = Number(concurrency) > 0 ? new classes.Worker(name, work, settings) : undefined;
await worker?.waitUntilReady();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ rounds: made, cpu: (user + system) / 1000 });
});
process.once('disconnect', () => process.exit());
process.send('ready');
