import { readFileSync } from 'node:fs';
import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import catalog from '../../shared/planner/src/catalog.fixture.json' with { type: 'json' };
import { judge, type Judgement } from './planner/evaluation.ts';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { OPS_GROUPS } from './planner/heldout-catalog.ts';
import { HeldoutFile, type HeldoutRequest } from './planner/heldout-schema.ts';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

/** The groups that were installed when the requests were written; what is installed later would change what is right. */
const INSTALLED = ['infrastructure', 'knowledge', 'project_management'];
/** Tools of these groups that came later. */
const LATER = new Set(['inspect_server', 'trust_host_key']);

const capabilities = await loadCapabilities();
const { groups } = createRegistry(
  capabilities
    .filter(({ name }) => INSTALLED.includes(name))
    .map((group) => ({
      ...group,
      tools: Object.fromEntries(Object.entries(group.tools).filter(([name]) => !LATER.has(name))),
    })),
).catalog;
/** The others were known, and named as not installed. */
const notInstalled = catalog.groups.filter((group) => !group.installed);
const installed = { groups: [...groups.filter((group) => group.installed), ...notInstalled] };

/** The catalogs over which requests were written, by the name that the fixtures give them. */
export const CATALOGS: Readonly<Record<HeldoutRequest['catalog'], ToolCatalog>> = {
  installed,
  everything: createRegistry(capabilities).catalog,
  'installed+ops': {
    groups: installed.groups.map((group) => OPS_GROUPS.find(({ name }) => name === group.name) ?? group),
  },
};

export type RequestSet = 'development' | 'heldout' | 'spoken';

/** The requests of a frozen set. */
export function readRequests(set: RequestSet): readonly HeldoutRequest[] {
  const path = new URL(`./planner/${set}.json`, import.meta.url);
  return HeldoutFile.parse(JSON.parse(readFileSync(path, 'utf8'))).requests;
}

/** How the planner did on each request of a set. */
export function judgeSet(set: RequestSet): readonly Judgement[] {
  return readRequests(set).map((request) => judge(request, CATALOGS[request.catalog]));
}

const installedTools = new Map(
  CATALOGS.everything.groups.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool])),
);
const UNSAID_NAMES = PriorContext.parse({ names: { project: ['demo', 'shop'], server: ['web-1', 'local'] } });

/** The changes that a sentence would make at once, without another word of the person. */
export function changesAtOnce(text: string): readonly string[] {
  return explainMessage(CATALOGS.everything, text, UNSAID_NAMES)
    .calls.filter(({ tool }) => installedTools.get(tool)?.isRead === false)
    .map(({ tool, arguments: args }) => `${text}: ${tool} ${JSON.stringify(args)}`);
}
