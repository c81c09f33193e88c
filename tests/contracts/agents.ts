import { AgentClass } from '@signalbox/contracts/governance/action';
import type { AgentPlugin } from '@signalbox/worker/agents/agent';
import { describe, expect, it } from 'vitest';

/** What every agent says of itself before it has run. That its id is its folder's name is checked where it is loaded. */
export function describeAgent(plugin: AgentPlugin): void {
  describe(`the agent ${plugin.id}`, () => {
    it('the agent’s id is valid as the name of a folder, a table and a chat command', () => {
      expect(plugin.id).toMatch(/^(?=.{2,26}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
    });

    it('the agent’s summary is one sentence', () => {
      expect(plugin.summary).toMatch(/^[A-Z].{10,160}\.$/);
    });

    it('the agent’s class is known to policy', () => {
      expect(AgentClass.options).toContain(plugin.class);
    });

    it('the agent’s state versions are whole numbers from one', () => {
      expect(plugin.stateVersion).toBeGreaterThanOrEqual(1);
      expect(Number.isInteger(plugin.stateVersion)).toBe(true);
    });

    it('the agent’s graph names each node once', () => {
      const names = plugin.graph.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    });

    it('the agent calls models only in nodes of its graph, and lists each of these nodes once', () => {
      expect(plugin.nodes).toEqual([...new Set(plugin.nodes)]);
      expect(plugin.graph.map(({ name }) => name)).toEqual(expect.arrayContaining([...plugin.nodes]));
    });
  });
}
