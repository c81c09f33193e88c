import type { PortName } from '@signalbox/worker/tools/ports/ports';
import type { Tool, ToolGroup } from '@signalbox/worker/tools/tool';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** All ports, so that a new one cannot be forgotten here: a missing name does not compile. */
const PORTS: Readonly<Record<PortName, true>> = {
  projects: true,
  memory: true,
  freezes: true,
  schedules: true,
  demo: true,
  services: true,
  deployments: true,
  servers: true,
  portAllocations: true,
  cards: true,
  mortgage: true,
  repositories: true,
  engineering: true,
  knowledge: true,
  graphNodes: true,
  errorHistory: true,
  requests: true,
  changes: true,
  releases: true,
  plans: true,
  onCall: true,
};

interface Property {
  readonly description?: string;
  readonly ask?: string;
  readonly entity?: string;
}

interface InputSchema {
  readonly type: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

/** What the offline planner can fill in. */
const ENTITIES = ['project', 'server', 'environment', 'port', 'name', 'text'];

const schemaOf = (input: z.ZodType): InputSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
  return schema as unknown as InputSchema; // what zod makes of an object; the first test below checks that it is one
};

/** What a tool says of its risk, which may take arguments that are not known here. */
function riskOf(tool: Tool): unknown {
  try {
    const found: unknown = tool.risk({});
    // A tool without a risk has the type of one with it, and answers nothing.
    return typeof found === 'object' && found !== null && 'risk' in found ? found.risk : found;
  } catch {
    return 'told by the arguments';
  }
}

/** What every group of tools promises. `source`: the text of its files, in which these ports are looked for. */
export function describeCapability(
  group: ToolGroup,
  source: string,
  ports: readonly string[] = Object.keys(PORTS),
): void {
  describe(`the group ${group.name}`, () => {
    it('the group declares exactly the ports that its code uses', () => {
      const touched = ports.filter((port) => new RegExp(`\\bports\\.${port}\\b`).test(source));
      expect([...group.uses].sort()).toEqual(touched.sort());
    });

    it('the group’s summary is one line', () => {
      expect(group.summary).toMatch(/^[A-Z].{20,160}\.$/);
      expect(Object.keys(group.tools).length).toBeGreaterThan(0);
    });
  });

  describe.each(Object.entries(group.tools))('the tool %s', (name, tool) => {
    const schema = schemaOf(tool.input);
    const properties = Object.entries(schema.properties ?? {});

    it('is named verb_noun and described in sentences', () => {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
      expect(tool.describe).toMatch(/^[A-Z].{15,240}\.$/);
    });

    it('has six to ten example requests, as people type them', () => {
      expect(tool.hints.length).toBeGreaterThanOrEqual(6);
      expect(tool.hints.length).toBeLessThanOrEqual(10);
      for (const hint of tool.hints) expect(hint).toMatch(/^\S.{2,80}\S$/);
    });

    it('takes an object that converts to JSON Schema', () => {
      expect(schema.type).toBe('object');
    });

    it('describes every field, and uses only kinds of values that the planner knows', () => {
      const bare = properties.filter(([, { description = '' }]) => !/\S{3}/.test(description));
      const strange = properties.filter(([, { entity }]) => entity !== undefined && !ENTITIES.includes(entity));
      expect([...bare, ...strange]).toEqual([]);
    });

    it('has a question for every required field', () => {
      const needed = properties.filter(([field]) => schema.required?.includes(field));
      expect(needed.filter(([, { ask = '' }]) => !/^[A-Z].*\?$/.test(ask))).toEqual([]);
    });

    it('refuses arguments that do not match its schema', () => {
      expect(tool.input.safeParse('text').success).toBe(false);
      const needsSomething = (schema.required?.length ?? 0) > 0;
      expect(tool.input.safeParse({}).success).toBe(!needsSomething);
    });

    it('has a risk level that policy knows', () => {
      expect(['safe', 'sensitive', 'dangerous', 'told by the arguments']).toContain(riskOf(tool));
    });

    it('has a role, a deadline, and a declaration whether it may run again', () => {
      expect(['viewer', 'developer', 'operator', 'admin']).toContain(tool.role);
      expect(tool.deadlineMs).toBeGreaterThanOrEqual(1_000);
      expect(tool.deadlineMs).toBeLessThanOrEqual(60_000);
      expect(['harmless', 'unknown']).toContain(tool.replay);
    });
  });
}
