// Starts the API on the port that tides.mjs names, until it is stopped: npx node examples/first-schema/start-api.ts
import { startTideApi } from './api.ts';

const { url } = await startTideApi({ port: 4849 });
console.log(`The tide tables are at ${url}/harbours/dover/tides`);
