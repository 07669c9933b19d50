// A peer: fastmcp with its reader of OpenAPI documents, over stdio.
//
// Arguments: fastmcp's module `fastmcp/openapi`, where it is installed; the file with the document; the address of the API; headers as JSON.
import { readFileSync } from 'node:fs';

const [module, openApi, baseUrl, headers] = process.argv.slice(2);
const { fromOpenAPI } = await import(module);
const spec = JSON.parse(readFileSync(openApi, 'utf8'));
const server = await fromOpenAPI({ spec, baseUrl, headers: JSON.parse(headers), maxTools: Number.POSITIVE_INFINITY });
await server.start({ transportType: 'stdio' });
