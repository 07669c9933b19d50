import { buildRouteMap } from '@stricli/core';
import { defineCommand, type MakeCommand } from '../../run-command.ts';
import { anyText, described, groupFlag, lockFlag, notEmpty, textFlag, yesNo } from '../parameters.ts';

const positional = {
  kind: 'array',
  parameter: {
    brief: 'Schema files, folders or tools (default: the default group)',
    placeholder: 'name',
    parse: notEmpty,
  },
} as const;

const chooseFlags = { group: groupFlag, lock: lockFlag } as const;

const outFlags = {
  out: textFlag('File to write (default: standard output)', 'file'),
  force: yesNo('Replace the file of --out if it has other contents'),
} as const;

const version = anyText('Version (default: that of package.json, or 1.0.0)', 'version');

export const exportCommands: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      openapi: defineCommand(
        'export openapi',
        async () => (await import('./export-openapi.ts')).exportOpenApi(output),
        {
          parameters: {
            positional,
            flags: {
              ...chooseFlags,
              title: anyText('Title (default: that of the schema)', 'text'),
              version,
              ...outFlags,
            },
          },
          docs: described(
            'Write an OpenAPI 3.1 document of the tools',
            'schemakit export openapi tides.mjs > tides.json',
          ),
        },
      )(output),
      mcpb: defineCommand('export mcpb', async () => (await import('./export-mcpb.ts')).exportMcpb, {
        parameters: {
          positional,
          flags: {
            ...chooseFlags,
            name: anyText('Name of the bundle (default: that of the group, folder or namespace)', 'name'),
            title: anyText('Name that hosts show (default: that of the schema)', 'text'),
            description: anyText('What the server does (default: that of the schema)', 'text'),
            author: anyText('Author (default: that of package.json, or the name of the bundle)', 'name'),
            version,
            out: textFlag('File to write (default: <name>.mcpb)', 'file'),
            force: outFlags.force,
          },
        },
        docs: described(
          'Write an MCP bundle that hosts install, with everything it needs to run',
          'schemakit export mcpb schemas --out tides.mcpb',
        ),
      })(output),
      'server-json': defineCommand(
        'export server-json',
        async () => (await import('./export-server-json.ts')).exportServerJson(output),
        {
          parameters: {
            positional,
            flags: {
              ...chooseFlags,
              name: anyText(
                'Name in the registry, such as io.github.user/server (default: mcpName of package.json)',
                'name',
              ),
              title: anyText('Name that clients show', 'text'),
              description: anyText('At most 100 characters (default: that of the schema, cut at a word)', 'text'),
              version,
              npm: anyText('Package on npm that runs the server', 'name@version'),
              url: anyText('Address of a server that runs', 'url'),
              bundle: textFlag('MCP bundle, for its hash; with --bundle-url', 'file'),
              bundleUrl: anyText('Where the bundle can be downloaded', 'url'),
              repository: anyText('Address of the source code', 'url'),
              ...outFlags,
            },
          },
          docs: described(
            'Write server.json, the entry of a server in the MCP registry',
            'schemakit export server-json tides.mjs --name io.github.user/tides --url https://tides.example.com/mcp',
          ),
        },
      )(output),
    },
    docs: { brief: 'Export tools as OpenAPI, as an MCP bundle, or for the MCP registry' },
  });
