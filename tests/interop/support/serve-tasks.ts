import { createServer, InMemoryTaskStore, storeTasks } from '@schemakit/server';
import { taskTools } from '../../conformance/task-server.ts';

await createServer({ tools: taskTools }, { tasks: storeTasks(new InMemoryTaskStore()) }).stdio();
