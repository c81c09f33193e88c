import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import type { CatalogGroup } from '@signalbox/contracts/tool-catalog';
import { AppError } from '@signalbox/contracts/errors';
import { EVERYDAY_TOOLS } from './everyday.ts';
import type { Tool, ToolGroup } from './tool.ts';

const ENGINEERING = {
  name: 'engineering',
  describe: 'Have code written and reviewed',
  hints: [
    'implement a login page',
    'fix the bug in checkout',
    'show the latest pull request',
    'write the code for the feature',
  ],
  schema: { type: 'object', properties: {} },
};

/** The product's groups that are not installed: a request for such a group is answered with “not installed”. */
const KNOWN_GROUPS: readonly CatalogGroup[] = [
  { name: ENGINEERING.name, summary: ENGINEERING.describe, installed: false, tools: [ENGINEERING] },
];

const FOLDER = new URL('../capabilities/', import.meta.url);

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

export type ToolRegistry = ReturnType<typeof createRegistry>;

/** The registry as agents see it: descriptions, without handlers. */
export type OfferedTools = Pick<ToolRegistry, 'catalog' | 'definitions' | 'offer' | 'sort'>;

export function toOfferedTools({ catalog, definitions, offer, sort }: ToolRegistry): OfferedTools {
  return { catalog, definitions, offer, sort };
}

/** Loads every capability file; `besides` replaces groups of the same names, `brought` must be new. Throws a teaching error. */
export async function loadCapabilities(
  besides: readonly ToolGroup[] = [],
  brought: readonly ToolGroup[] = [],
): Promise<readonly ToolGroup[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^[a-z-]+\.(ts|js)$/.test(file)).sort();
  const shipped = [...(await Promise.all(files.map(loadGroup))), ...brought];
  const twin = shipped.find(({ name }, place) => shipped.findIndex((group) => group.name === name) !== place);
  if (twin)
    refuse(`two capability groups are named ${twin.name}. The plug-in that brings it needs another name for its own.`);
  return [...shipped.filter(({ name }) => !besides.some((group) => group.name === name)), ...besides];
}

export function createRegistry(groups: readonly ToolGroup[]) {
  const owners = new Map<string, string>();
  for (const group of groups) {
    for (const name of Object.keys(group.tools)) {
      const other = owners.get(name);
      if (other) refuse(`tool ${name} is declared by ${other} and by ${group.name}; tool names are unique.`);
      owners.set(name, group.name);
    }
  }
  // A group with an owner is not offered: its agent knows its own tools.
  const offered = groups.filter(({ owner }) => owner === undefined);
  const definitionsOf = new Map(groups.map((group) => [group.name, Object.entries(group.tools).map(define)]));
  const installed = new Set(offered.map((group) => group.name));
  const listDefinitions = (active: readonly string[]): readonly ToolDefinition[] =>
    active.flatMap((name) => definitionsOf.get(name) ?? []);
  const missing = KNOWN_GROUPS.filter((group) => !installed.has(group.name));
  return {
    groups,
    catalog: { groups: [...offered.map((group) => describeGroup(group, definitionsOf)), ...missing] },
    find(name: string, active: readonly string[]): { readonly tool: Tool; readonly group: ToolGroup } | null {
      const group = groups.find((candidate) => active.includes(candidate.name) && Object.hasOwn(candidate.tools, name));
      const tool = group?.tools[name];
      return group && tool ? { group, tool } : null;
    },
    definitions: listDefinitions,
    /** Lists the everyday tools of the groups that may be loaded, then the others of the loaded groups, in the order of loading. */
    offer(may: readonly string[], loaded: readonly string[]): readonly ToolDefinition[] {
      const everyday = EVERYDAY_TOOLS.flatMap((name) => listDefinitions(may).find((tool) => tool.name === name) ?? []);
      return [...everyday, ...listDefinitions(loaded).filter((tool) => !everyday.includes(tool))];
    },
    /** Sorts requested group names into installed, known but not installed, and unknown. */
    sort: (names: readonly string[]): Readonly<Record<'installed' | 'missing' | 'unknown', readonly string[]>> => ({
      installed: names.filter((name) => installed.has(name)),
      missing: names.filter((name) => missing.some((group) => group.name === name)),
      unknown: names.filter((name) => !installed.has(name) && !missing.some((group) => group.name === name)),
    }),
  };
}

async function loadGroup(file: string): Promise<ToolGroup> {
  const loaded: unknown = await import(new URL(file, FOLDER).href);
  const group = (loaded as { default?: ToolGroup }).default; // the next lines check it
  if (!group || typeof group !== 'object' || !('tools' in group))
    refuse(`capabilities/${file} must export default toolGroup({…}).`);
  const expected = file.replace(/\.(ts|js)$/, '').replaceAll('-', '_');
  if (group.name !== expected)
    refuse(`capabilities/${file} exports the group ${group.name}; its name must be ${expected}.`);
  return group;
}

function describeGroup(group: ToolGroup, definitions: ReadonlyMap<string, readonly ToolDefinition[]>): CatalogGroup {
  const tools = (definitions.get(group.name) ?? []).map(({ name, description, schema }) => ({
    name,
    describe: description,
    hints: group.tools[name]?.hints ?? [],
    isRead: group.tools[name]?.isRead ?? false,
    orderOf: (args: unknown) => group.tools[name]?.order(args) ?? null,
    schema,
  }));
  return { name: group.name, summary: group.summary, installed: true, tools };
}

function define([name, tool]: [string, Tool]): ToolDefinition {
  // The input as the model writes it, before defaults.
  const schema = z.toJSONSchema(tool.input, { io: 'input', target: 'draft-7' });
  return { name, description: tool.describe, schema: { ...schema } };
}

function refuse(reason: string): never {
  throw new AppError('STARTUP_REFUSED', { reason });
}
