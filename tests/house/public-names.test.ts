import * as agentServer from '@schemakit/agent-server';
import * as a2a from '@schemakit/agent-server/a2a';
import * as payment from '@schemakit/agent-server/payment';
import * as agentTesting from '@schemakit/agent-server/testing';
import * as core from '@schemakit/core';
import * as lock from '@schemakit/core/lock';
import * as v1 from '@schemakit/core/v1';
import * as server from '@schemakit/server';
import * as catalog from '@schemakit/server/catalog';
import { McpServerValidator } from '@schemakit/validator';
import { expect, test } from 'vitest';

// Names that users import. Removing or renaming one breaks their programs, so it needs a major version.

const doors: readonly [name: string, door: object, names: string][] = [
  [
    '@schemakit/core',
    core,
    'SchemaKit checkOutput checkSelect createDiskCache createMemoryCache createToolResolver exposeSchemaPrompts exposeSchemas findSchemaFiles hashForms hashSchema loadAgent loadSchemas migrateSource nameTools parseReference previewCall resolveToolReference selectData toolNames verifyHash',
  ],
  ['@schemakit/core/lock', lock, 'checkLock findLockFile lockFileName missingFiles readLock revokeTrust trustSchemas'],
  ['@schemakit/core/v1', v1, 'SchemaKit Validation'],
  [
    '@schemakit/server',
    server,
    'InMemoryTaskStore ListenError ServerOptionsError createMcpServer createReloadableCatalog createServer createToolCatalog oauthResource storeTasks subjectOwner',
  ],
  ['@schemakit/agent-server', agentServer, 'AgentConfigError AgentToolsServer InMemoryTaskStore openRuns progressText'],
  ['@schemakit/agent-server/a2a', a2a, 'createA2A'],
  ['@schemakit/agent-server/payment', payment, 'paymentGate'],
  ['@schemakit/agent-server/testing', agentTesting, 'createScriptedModel'],
  ['@schemakit/server/catalog', catalog, 'createCatalogServer createReloadableCatalog createToolCatalog selectCatalog'],
];

test.each(doors)('%s exports what it did', (_name, door, names) => {
  expect(Object.keys(door).sort().join(' ')).toBe(names);
});

const classes: readonly [name: string, methods: object, names: string][] = [
  [
    'SchemaKit',
    core.SchemaKit,
    'loadSchema validateMain validateSchema scanSecurity fetch resolveSharedLists interpolateEnum loadLibraries getDefaultAllowlist createHandlers detectLegacy adaptLegacy generateOutputSchema filterArrayOfSchemas activateServerTools activateServerTool prepareServerTool',
  ],
  [
    'SchemaKit of format 1',
    v1.SchemaKit,
    'getArgvParameters prepareActivations filterArrayOfSchemas activateServerTools activateServerTool prepareServerTool getZodInterfaces getAllTests validateSchema fetch',
  ],
  ['McpServerValidator', McpServerValidator, 'start compare'],
];

test.each(classes)('%s has the methods that it had', (_name, methods, names) => {
  const own = Object.getOwnPropertyNames(methods).filter((name) => !['length', 'name', 'prototype'].includes(name));
  expect(own.join(' ')).toBe(names);
});
