import { AgentClass } from '@signalbox/contracts/governance/action';
import type { AgentPlugin } from '@signalbox/worker/agents/agent';
import { describe, expect, it } from 'vitest';

/** What every agent says of itself before it has run. That its id is its folder's name is checked where it is loaded. */
export function describeAgent(plugin: AgentPlugin): void {
  describe(`the agent ${plugin.id}`, () => {
    it('has an id that a folder, a table and a chat command can hold', () => {
      expect(plugin.id).toMatch(/^(?=.{2,26}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
    });

    it('says in one sentence what it does', () => {
      expect(plugin.summary).toMatch(/^[A-Z].{10,160}\.$/);
    });

    it('has a class that policy knows', () => {
      expect(AgentClass.options).toContain(plugin.class);
    });

    it('counts the versions of its state from one', () => {
      expect(plugin.stateVersion).toBeGreaterThanOrEqual(1);
      expect(Number.isInteger(plugin.stateVersion)).toBe(true);
    });

    it('names each node of its graph once', () => {
      const names = plugin.graph.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    });

    it('asks models only in nodes of its graph, and names each of these once', () => {
      expect(plugin.nodes).toEqual([...new Set(plugin.nodes)]);
      expect(plugin.graph.map(({ name }) => name)).toEqual(expect.arrayContaining([...plugin.nodes]));
    });
  });
}
