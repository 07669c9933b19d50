import { SchemaKit, loadSchemas } from '@schemakit/core';
import { isDeepStrictEqual } from 'node:util';
const r = await loadSchemas({ paths: ['/tmp/bench-schemas'] });
const codes: Record<string, number> = {};
for (const f of r.findings) codes[f.code + ' ' + f.severity] = (codes[f.code + ' ' + f.severity] ?? 0) + 1;
console.log(r.status, r.schemas.length, codes, r.findings.filter(f=>f.severity==='error').slice(0, 5));
console.log(r.schemas.filter(s => Object.keys(s.handlerMap).length>0).length, r.schemas.filter(s => Object.keys(s.sharedLists).length>0).length);
let same = 0; for (const s of r.schemas) { const m = await import(s.file); if (isDeepStrictEqual(m.main, s.main)) same++; }
console.log({same});
