import { AgentClass } from '@signalbox/contracts/governance/action';
import type { AgentPlugin } from '@signalbox/worker/agents/agent';
import { describe, expect, it } from 'vitest';

/** What every agent says of itself before it has run. */
export function describeAgent(plugin: AgentPlugin): void {
  describe(`the agent ${plugin.id}`, () => {
    it('has an id that a folder and a table can hold, and one sentence about itself', () => {
      expect(plugin.id).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
      expect(plugin.summary).toMatch(/^[A-Z].{10,160}\.$/);
    });

    it('has a class that policy knows, and a version of its state', () => {
      expect(AgentClass.options).toContain(plugin.class);
      expect(plugin.stateVersion).toBeGreaterThanOrEqual(1);
      expect(Number.isInteger(plugin.stateVersion)).toBe(true);
    });

    it('names each node once', () => {
      const names = plugin.graph.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(new Set(plugin.nodes).size).toBe(plugin.nodes.length);
      expect(names).toEqual(expect.arrayContaining([...plugin.nodes]));
    });
  });
}
