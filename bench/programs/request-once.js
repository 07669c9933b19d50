// Makes the request of a call with undici alone, and prints the answer. Argument: the origin of the upstream.
import { request } from 'undici';

const [root = ''] = process.argv.slice(2);
const { statusCode, body } = await request(`${root}/stations?q=leipzig&sort=platforms&limit=5`);
if (statusCode >= 400) throw new Error(`the upstream answered ${statusCode}`);
process.stdout.write(JSON.stringify({ status: true, content: await body.json() }, null, 4));
