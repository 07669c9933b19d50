import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import {
  type Config,
  type Group,
  type Mode,
  noConfig,
  type ParsedConfig,
  readConfig,
  readGroupFile,
} from './config.ts';
import { type SettingsPaths, settingsPaths } from './settings-paths.ts';

export interface Settings {
  paths: SettingsPaths;
  home: Config;
  project: Config;
  hasHome: boolean;
  hasProject: boolean;
  /** Null until `init` or `mode` sets one; every command is allowed then. */
  mode: Mode | null;
  groups: ReadonlyMap<string, Group>;
  defaultGroup: string | undefined;
  findings: readonly Finding[];
}

export function readSettings(paths: SettingsPaths = settingsPaths()): Settings {
  const { home, project, isShared } = paths;
  const read = readConfigOf(home);
  const own = readConfigOf(project);
  const files = readGroupFiles(project.groups);
  const local = own.config ?? noConfig;
  const hasProject = own.exists && (!isShared || isOfProject(local));
  return {
    paths,
    home: read.config ?? noConfig,
    project: local,
    hasHome: read.exists,
    hasProject,
    mode: local.mode ?? null,
    groups: new Map([...local.groups, ...files.groups]),
    defaultGroup: local.defaultGroup,
    findings: [...read.findings, ...(isShared ? [] : own.findings), ...files.findings],
  };
}

/** Reads `config.json`, or the one in `.flowmcp` if there is none. */
function readConfigOf({ config, legacy }: { config: string; legacy?: string }): ParsedConfig & { exists: boolean } {
  const file = existsSync(config) || legacy === undefined ? config : join(legacy, 'config.json');
  return { ...readConfig(file), exists: existsSync(file) };
}

/** In the user's home folder one file serves both levels; it counts as a project's once it has a project field. */
function isOfProject({ mode, defaultGroup, groups }: Config): boolean {
  return mode !== undefined || defaultGroup !== undefined || groups.size > 0;
}

function readGroupFiles(folder: string): { groups: Map<string, Group>; findings: Finding[] } {
  const groups = new Map<string, Group>();
  const findings: Finding[] = [];
  for (const name of groupFileNames(folder)) {
    const read = readGroupFile(join(folder, name));
    findings.push(...read.findings);
    if (read.group !== undefined) groups.set(basename(name, '.json'), read.group);
  }
  return { groups, findings };
}

function groupFileNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort();
  } catch {
    return []; // No folder, no groups.
  }
}
