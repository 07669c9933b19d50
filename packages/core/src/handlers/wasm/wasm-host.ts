/** The program of a worker thread that runs handlers in VMs. */
import { parentPort, workerData } from 'node:worker_threads';
import { serveVms } from './serve-vms.ts';

if (parentPort !== null) await serveVms(parentPort, workerData);
