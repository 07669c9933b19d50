// A peer: fastmcp with its reader of OpenAPI documents.
//
// Arguments: fastmcp's module `fastmcp/openapi`, where it is installed; the file with the document; optionally the port to listen on.
import { readFileSync } from 'node:fs';

const [module, openApi, port] = process.argv.slice(2);
const { fromOpenAPI } = await import(module);
const spec = JSON.parse(readFileSync(openApi, 'utf8'));
const server = await fromOpenAPI({ spec, maxTools: Number.POSITIVE_INFINITY });
await server.start(
  port === undefined
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { host: '127.0.0.1', port: Number(port) } },
);
