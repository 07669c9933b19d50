import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { type Config, type Group, type Mode, noConfig } from './config.ts';
import { type ConfigReading, readConfig, readGroupFile } from './read-config.ts';
import { type SettingsPlaces, settingsPlaces } from './settings-places.ts';

/** Both levels of settings, as they were read. */
export interface Settings {
  places: SettingsPlaces;
  home: Config;
  project: Config;
  /** Whether there is a global `config.json`. */
  hasHome: boolean;
  /** Whether the project has a `config.json`. */
  hasProject: boolean;
  /** Null where the project has no settings: then every command works. */
  mode: Mode | null;
  groups: ReadonlyMap<string, Group>;
  defaultGroup: string | undefined;
  /** What is wrong with the files. */
  findings: readonly Finding[];
}

/** Reads the settings of both levels. Never throws: what is wrong is in `findings`. */
export function readSettings(places: SettingsPlaces = settingsPlaces()): Settings {
  const { home, project, isShared } = places;
  const read = readConfigOf(home);
  const own = readConfigOf(project);
  const files = readGroupFiles(project.groups);
  const local = own.config ?? noConfig;
  const hasProject = own.exists && (!isShared || isOfProject(local));
  return {
    places,
    home: read.config ?? noConfig,
    project: local,
    hasHome: read.exists,
    hasProject,
    mode: hasProject ? (local.mode ?? 'agent') : null,
    groups: new Map([...local.groups, ...files.groups]),
    defaultGroup: local.defaultGroup,
    findings: [...read.findings, ...(isShared ? [] : own.findings), ...files.findings],
  };
}

/** The `config.json` of a level, or that of an older program where there is none. */
function readConfigOf({ config, older }: { config: string; older?: string }): ConfigReading & { exists: boolean } {
  const file = existsSync(config) || older === undefined ? config : join(older, 'config.json');
  return { ...readConfig(file), exists: existsSync(file) };
}

/** In the user's home folder both levels are one file, which is of a project too once it says something about one. */
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
    return []; // There is no such folder, so there are no groups in it.
  }
}
