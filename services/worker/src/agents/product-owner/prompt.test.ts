import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { expect, it } from 'vitest';
import { loadCapabilities } from '../../tools/registry.ts';
import { createSystemMessage } from './prompt.ts';

const groups = await loadCapabilities([], []);
const all = groups.flatMap(({ tools }) => Object.keys(tools));
const promptOf = (names: readonly string[]): string => {
  const offered = groups.filter(({ name }) => names.includes(name));
  const catalog = offered.map(({ name, summary, tools }) => ({
    name,
    summary,
    installed: true,
    tools: Object.keys(tools).map((tool) => ({ name: tool })),
  }));
  return createSystemMessage({ groups: catalog } as unknown as ToolCatalog, names).text; // the prompt reads only these fields
};
const namedIn = (prompt: string): readonly string[] => all.filter((tool) => new RegExp(`\\b${tool}\\b`).test(prompt));

it('the rules of the analyst name no tool that it does not have, and those of the default agent name theirs', () => {
  expect(namedIn(promptOf(['repository']))).toEqual([]);
  const own = namedIn(promptOf(groups.map(({ name }) => name)));
  expect(own).toEqual(expect.arrayContaining(['propose_plan', 'read_file', 'remember_fact', 'run_command']));
});
