import type { Finding } from '@schemakit/core';
import { AgentConfigError, checkConfig, checkManifestsSettings, nameFaults } from '../manifest/check-config.ts';
import type { AgentServerConfig, AgentServerSettings } from '../manifest/config.ts';
import { faultFindings } from '../manifest/faults.ts';
import { type ManifestSettings, type ManifestSource, openManifest } from '../manifest/from-manifest.ts';
import { openAgent } from '../manifest/open-agent.ts';
import { type AgentMcp, type Identity, serveAgents } from './serve-agents.ts';

/** Creates servers whose tools are answered by agents. */
export const AgentToolsServer = {
  /**
   * Creates an MCP server whose tools are answered by agents: a model works with the tools of schemas until it submits an answer.
   *
   * @throws {@link AgentConfigError} with all faults of the configuration.
   * @example
   * const { mcp } = AgentToolsServer.create({
   *   name: 'harbour',
   *   version: '1.0.0',
   *   llm: { baseURL: 'https://api.anthropic.com', apiKey: 'your key' },
   *   tools: [
   *     {
   *       name: 'askTides',
   *       description: 'Answers questions about tides.',
   *       inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
   *       agent: { systemPrompt: 'You help sailors.', model: 'anthropic/claude-sonnet-5' },
   *       toolSources: [{ type: 'flowmcp', schemas: [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })] }],
   *     },
   *   ],
   * });
   * console.log(mcp.listToolDefinitions().tools[0].name); // askTides
   * await mcp.close();
   */
  create(config: AgentServerConfig): { mcp: AgentMcp } {
    const findings = checkConfig(config);
    if (findings.length > 0) throw new AgentConfigError('AgentToolsServer.create', findings);
    const { tools, ...settings } = config;
    return {
      mcp: serveAgents(
        settings,
        tools.map((tool) => openAgent(tool, settings)),
      ),
    };
  },

  /**
   * Creates an MCP server with one tool, the agent of a manifest (docs/agents.md). It has the tools that the manifest names.
   *
   * @throws {@link AgentConfigError} with all errors of the settings and of the manifest.
   * @returns `findings` are warnings, such as a `hash` that does not match.
   * @example
   * const llm = { baseURL: 'https://api.anthropic.com', apiKey: 'your key' };
   * const schemas = [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })];
   * const { mcp } = await AgentToolsServer.fromManifest({ file: 'agents/tide-guide/agent.mjs', llm, schemas });
   * console.log(mcp.listToolDefinitions().tools[0].name); // tide-guide
   * await mcp.close();
   */
  async fromManifest(settings: ManifestSettings): Promise<ManifestServer> {
    const { agent, manifest, findings, toolIds } = await openManifest(settings);
    return { mcp: serveAgents({ ...settings, name: manifest.name, version: '1.0.0' }, [agent]), findings, toolIds };
  },

  /**
   * Creates an MCP server with a tool for each manifest, as {@link AgentToolsServer.fromManifest} does for one.
   *
   * @throws {@link AgentConfigError} with all errors of the first manifest that has some.
   * @example
   * const { mcp } = await AgentToolsServer.fromManifests({
   *   name: 'harbour',
   *   version: '1.0.0',
   *   llm: { baseURL: 'https://api.anthropic.com', apiKey: 'your key' },
   *   agents: [
   *     { file: 'agents/pilot/agent.mjs' },
   *     { file: 'agents/tide-guide/agent.mjs', schemas: [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })] },
   *   ],
   * });
   * console.log(mcp.listToolDefinitions().tools.map(({ name }) => name).join()); // harbour-pilot,tide-guide
   * await mcp.close();
   */
  async fromManifests(settings: ManifestsSettings): Promise<{ mcp: AgentMcp; findings: Finding[] }> {
    const faults = checkManifestsSettings(settings);
    if (faults.length > 0) throw new AgentConfigError('AgentToolsServer.fromManifests', faults);
    const { agents: sources, ...shared } = settings;
    const { name: _name, version: _version, ...common } = shared;
    const opened = await Promise.all(sources.map((source) => openManifest({ ...common, ...source })));
    const agents = opened.map(({ agent }) => agent);
    const names = agents.map(({ config }) => config.name);
    const doubled = faultFindings(nameFaults('agents', names));
    if (doubled.length > 0) throw new AgentConfigError('AgentToolsServer.fromManifests', doubled);
    return { mcp: serveAgents(shared, agents), findings: opened.flatMap(({ findings }) => findings) };
  },
};

/** The result of `AgentToolsServer.fromManifest`. */
export interface ManifestServer {
  mcp: AgentMcp;
  /** Warnings, such as a `hash` that does not match. */
  findings: Finding[];
  /** Ids of tools, as the manifest names them, by their names in events. */
  toolIds: Record<string, string>;
}

/** Settings of `AgentToolsServer.fromManifests`. */
export interface ManifestsSettings extends AgentServerSettings, Identity {
  agents: readonly ManifestSource[];
}
