import { defineCommand, type MakeCommand } from '../../run-command.ts';
import {
  anyText,
  anyTexts,
  described,
  envFileFlag,
  optionalNumber,
  optionalPositional,
  textFlag,
  yesNo,
} from '../parameters.ts';

export const newCommand: MakeCommand = defineCommand('new', async () => (await import('./new-schemas.ts')).newSchemas, {
  parameters: {
    positional: optionalPositional(
      'OpenAPI document, GraphQL schema, Postman collection or HAR recording (file or address), address of an API, or curl command. Without one, at a terminal: questions',
      'source',
    ),
    flags: {
      out: textFlag('Folder of the schemas (default: schemas/<namespace>)', 'dir'),
      namespace: anyText('First part of every tool name, letters from a to z (default: from the title)', 'name'),
      select: anyTexts("Only these operations: 'GET /pets*', '/pets*' or an operationId", 'pattern'),
      tag: anyTexts('Only operations with this tag', 'tag'),
      limit: optionalNumber('Largest number of tools in a file (default: 8)', 'tools', { min: 1 }),
      server: anyText('Address of the API or its GraphQL endpoint, instead of the one in the document', 'url'),
      remoteRefs: yesNo('Also read documents at other addresses that the document refers to'),
      try: yesNo('Call the read-only tools, record the answers, and replace outputs that differ from them'),
      envFile: envFileFlag,
      dryRun: yesNo('Show the tools, what is left out and the cost in tokens without writing anything'),
    },
  },
  docs: described(
    'Write schemas from the description of an API',
    'schemakit new openapi.yaml --dry-run',
    "schemakit new https://api.example.com/openapi.json --select 'GET *' --out schemas/example",
    'schemakit new https://api.example.com/openapi.json --try',
  ),
});
