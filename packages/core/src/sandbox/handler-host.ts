/**
 * The program of a host process: it runs handler code of schemas and nothing else. Our process starts it with the permissions
 * that host-process.ts lists and talks to it over its IPC channel. Arguments: the file of `ses`, and the size of the heap in MiB.
 */
import { closeWaysOut } from './host/close-ways-out.ts';
import { repairRealm } from './host/lockdown.ts';
import { serveTasks } from './host/serve-tasks.ts';
import { recordLines } from './host/thrown.ts';

closeWaysOut();
repairRealm(process.argv[2] ?? '');
recordLines();
serveTasks();
