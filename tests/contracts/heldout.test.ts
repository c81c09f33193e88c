import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { judge, type Judgement } from '@signalbox/planner/evaluation.fixture';
import { OPS_GROUPS } from '@signalbox/planner/heldout-catalog.fixture';
import { HeldoutFile } from '@signalbox/planner/heldout-schema.fixture';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

/** The groups that were installed when the requests were written; what is installed later would change what is right. */
const INSTALLED = ['infrastructure', 'knowledge', 'project_management'];
/** Tools of these groups that came later. */
const LATER = new Set(['inspect_server', 'trust_host_key']);

const capabilities = await loadCapabilities();
const installed = createRegistry(
  capabilities
    .filter(({ name }) => INSTALLED.includes(name))
    .map((group) => ({
      ...group,
      tools: Object.fromEntries(Object.entries(group.tools).filter(([name]) => !LATER.has(name))),
    })),
).catalog;
const CATALOGS: Readonly<Record<'installed' | 'installed+ops' | 'everything', ToolCatalog>> = {
  installed,
  everything: createRegistry(capabilities).catalog,
  'installed+ops': {
    groups: installed.groups.map((group) => OPS_GROUPS.find(({ name }) => name === group.name) ?? group),
  },
};

function judgeFile(name: string): readonly Judgement[] {
  const path = new URL(`../../shared/planner/src/${name}.fixture.json`, import.meta.url);
  const { requests } = HeldoutFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  return requests.map((request) => judge(request, CATALOGS[request.catalog]));
}

/** Null when that share was understood, else what to look at. */
function shortfall(judgements: readonly Judgement[], share: number, show: (judgement: Judgement) => string) {
  const wrong = judgements.filter(({ right }) => !right);
  const harmful = judgements.filter((one) => one.harmful).map(({ id }) => id);
  const reached = 1 - wrong.length / judgements.length;
  if (reached >= share) return null;
  return `${(reached * 100).toFixed(1)} % understood. Harmful: ${harmful.join(' ')}. Wrong: ${wrong.map(show).join(' ')}`;
}

describe('the planner', () => {
  it('understands the requests of development', () => {
    expect(shortfall(judgeFile('development'), 0.95, ({ id, did }) => `\n${id}: ${did}`)).toBeNull();
  });

  // Only ids may be shown: whoever reads the texts of what was not understood can no longer be surprised by them.
  it('understands its share of the held-out requests, which nobody tuned for', () => {
    expect(shortfall(judgeFile('heldout'), 0.8, ({ id }) => id)).toBeNull();
  });
});
