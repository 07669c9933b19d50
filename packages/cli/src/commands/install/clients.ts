import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** An MCP client that starts servers itself, and where it keeps their commands. */
export interface Client {
  name: string;
  /** The settings of the user. */
  file: string;
  /** The settings of a project, below its folder. Absent if the client has none. */
  projectFile?: string;
  format: 'json' | 'toml';
  /** The field with all servers. */
  key: string;
  /** Whether an entry needs `type: "stdio"`. */
  hasType?: true;
}

export const clientNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'zed', 'codex'] as const;

export type ClientName = (typeof clientNames)[number];

/** Where programs of this platform keep settings of the user. */
export interface Places {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string;
}

/** The clients, with the files that they read on a platform; see docs/clients.md. */
export function clients({
  env = process.env,
  platform = process.platform,
  home = homedir(),
}: Partial<Places> = {}): Readonly<Record<ClientName, Client>> {
  // The XDG Base Directory Specification says to ignore a relative path.
  const xdg = env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : join(home, '.config');
  const roaming = env.APPDATA ?? join(home, 'AppData', 'Roaming');
  const support = join(home, 'Library', 'Application Support');
  const settings = platform === 'win32' ? roaming : platform === 'darwin' ? support : xdg;
  // Zed uses ~/.config on macOS, too.
  const zed =
    platform === 'win32' ? join(roaming, 'Zed') : join(platform === 'darwin' ? join(home, '.config') : xdg, 'zed');
  return {
    'claude-desktop': {
      name: 'Claude Desktop',
      file: join(settings, 'Claude', 'claude_desktop_config.json'),
      format: 'json',
      key: 'mcpServers',
    },
    'claude-code': {
      name: 'Claude Code',
      file: join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
      projectFile: '.mcp.json',
      format: 'json',
      key: 'mcpServers',
      hasType: true,
    },
    cursor: {
      name: 'Cursor',
      file: join(home, '.cursor', 'mcp.json'),
      projectFile: join('.cursor', 'mcp.json'),
      format: 'json',
      key: 'mcpServers',
      hasType: true,
    },
    vscode: {
      name: 'VS Code',
      file: join(settings, 'Code', 'User', 'mcp.json'),
      projectFile: join('.vscode', 'mcp.json'),
      format: 'json',
      key: 'servers',
      hasType: true,
    },
    zed: {
      name: 'Zed',
      file: join(zed, 'settings.json'),
      projectFile: join('.zed', 'settings.json'),
      format: 'json',
      key: 'context_servers',
    },
    codex: {
      name: 'Codex',
      file: join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
      projectFile: join('.codex', 'config.toml'),
      format: 'toml',
      key: 'mcp_servers',
    },
  };
}
