import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PortName } from '@signalbox/worker/tools/ports/ports';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { tool as makeTool } from '@signalbox/worker/tools/tool';

const FOLDER = fileURLToPath(new URL('../../services/worker/src/capabilities/', import.meta.url));

/** All ports, so that a new one cannot be forgotten here: a missing name does not compile. */
const PORTS: Readonly<Record<PortName, true>> = {
  projects: true,
  demo: true,
  services: true,
  deployments: true,
  servers: true,
  portAllocations: true,
  knowledge: true,
  graphNodes: true,
  errorHistory: true,
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

const groups = await loadCapabilities();
const tools = groups.flatMap((group) =>
  Object.entries(group.tools).map(([name, tool]) => ({ group: group.name, name, tool })),
);
const schemaOf = (input: z.ZodType): InputSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
  return schema as unknown as InputSchema; // what zod makes of an object; the first test below checks that it is one
};
/** The file of a group, and those of its folder, if it has one. */
function sourceOf(group: string): string {
  const folder = `${FOLDER}${group}/`;
  const parts = existsSync(folder) ? readdirSync(folder).map((file) => `${folder}${file}`) : [];
  return [`${FOLDER}${group}.ts`, ...parts].map((file) => readFileSync(file, 'utf8')).join('\n');
}

it('every file of the folder is a group, and every group has its file', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(groups.map((group) => group.name).sort()).toEqual(
    files.map((file) => file.replace(/\.ts$/, '').replaceAll('-', '_')).sort(),
  );
  expect(groups.length).toBeGreaterThanOrEqual(3);
});

it('a group that is given takes the place of the one with its name, and others stand beside', async () => {
  const own = { name: 'knowledge', summary: 'Mine.', uses: [], tools: {} };
  const other = { ...own, name: 'weather' };
  const found = await loadCapabilities([own, other]);
  expect(found.filter(({ name }) => name === 'knowledge')).toEqual([own]);
  expect(found.map(({ name }) => name).sort()).toEqual([...groups.map(({ name }) => name), 'weather'].sort());
});

it('no tool and no hint belongs to two groups', () => {
  expect(() => createRegistry(groups)).not.toThrow();
  const hints = tools.flatMap(({ tool }) => tool.hints.map((hint) => hint.trim().toLowerCase()));
  expect(hints.filter((hint, place) => hints.indexOf(hint) !== place)).toEqual([]);
});

describe.each(groups.map((group) => [group.name, group] as const))('the group %s', (name, group) => {
  const source = sourceOf(name.replaceAll('_', '-'));

  it('declares exactly the ports that it touches', () => {
    const touched = Object.keys(PORTS).filter((port) => new RegExp(`\\bports\\.${port}\\b`).test(source));
    expect([...group.uses].sort()).toEqual(touched.sort());
  });

  it('says in one line what it is for', () => {
    expect(group.summary).toMatch(/^[A-Z].{20,160}\.$/);
    expect(Object.keys(group.tools).length).toBeGreaterThan(0);
  });
});

describe.each(tools.map((entry) => [entry.name, entry] as const))('the tool %s', (name, { tool }) => {
  const schema = schemaOf(tool.input);
  const properties = Object.entries(schema.properties ?? {});

  it('is named verb_noun and described in sentences', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(tool.describe).toMatch(/^[A-Z].{15,240}\.$/);
  });

  it('has six to ten hints, as people type them', () => {
    expect(tool.hints.length).toBeGreaterThanOrEqual(6);
    expect(tool.hints.length).toBeLessThanOrEqual(10);
    for (const hint of tool.hints) expect(hint).toMatch(/^\S.{2,80}\S$/);
  });

  it('takes an object that converts to JSON Schema', () => {
    expect(schema.type).toBe('object');
  });

  it('describes every field, and fills it with something that the planner knows', () => {
    const bare = properties.filter(([, { description = '' }]) => !/\S{3}/.test(description));
    const strange = properties.filter(([, { entity }]) => entity !== undefined && !ENTITIES.includes(entity));
    expect([...bare, ...strange]).toEqual([]);
  });

  it('can ask for every field that it needs', () => {
    const needed = properties.filter(([field]) => schema.required?.includes(field));
    expect(needed.filter(([, { ask = '' }]) => !/^[A-Z].*\?$/.test(ask))).toEqual([]);
  });

  it('refuses arguments that are not its own', () => {
    expect(tool.input.safeParse('text').success).toBe(false);
    const needsSomething = (schema.required?.length ?? 0) > 0;
    expect(tool.input.safeParse({}).success).toBe(!needsSomething);
  });

  it('has a risk, a role and a deadline, and repeats only what is harmless', () => {
    expect(['viewer', 'developer', 'operator', 'admin']).toContain(tool.role);
    expect(tool.deadlineMs).toBeGreaterThanOrEqual(1_000);
    expect(tool.deadlineMs).toBeLessThanOrEqual(60_000);
    expect(['harmless', 'unknown']).toContain(tool.replay);
  });
});

describe('what becomes of an effect that nobody saw the end of', () => {
  /** None: a new tool that changes something says how it is looked up, or writes its name down here and leaves it to a person. */
  const CANNOT_TELL: readonly string[] = [];

  it('can be looked up for every tool that changes something', () => {
    const changing = tools.filter(({ tool }) => !tool.isRead);
    expect(changing.length).toBeGreaterThan(15);
    expect(changing.filter(({ tool }) => tool.probe === null).map(({ name }) => name)).toEqual(CANNOT_TELL);
  });
});

describe('what a tool declares of its result and of ways out', () => {
  // A new tool is text from outside until somebody has looked at what it gives back, and writes its name down here.
  const FACTS = [
    'allocate_port',
    'create_project_intent',
    'get_next_available_port',
    'index_docs',
    'mute_service',
    'register_demo_project',
    'set_service_variable',
    'trigger_deploy',
    'trust_host_key',
    'write_file',
  ];
  const WAYS_OUT = [
    'check_deploy_readiness',
    'create_project_intent',
    'register_server',
    'rollback_deploy',
    'run_diagnostic',
    'set_service_variable',
    'trigger_deploy',
    'update_project',
  ];

  it('holds facts alone in no other tools than these', () => {
    expect(
      tools
        .filter(({ tool }) => !tool.untrusted)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(FACTS);
  });

  it('carries data out by these, and by no others', () => {
    expect(
      tools
        .filter(({ tool }) => tool.egress)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(WAYS_OUT);
  });

  it('looks at text that others wrote with no tool that calls it records', () => {
    const texts = [
      'read_file',
      'list_files',
      'run_command',
      'get_service_logs',
      'get_error_history',
      'get_deploy_logs',
    ];
    for (const name of [
      ...texts,
      'get_node_state',
      'get_node_logs',
      'run_diagnostic',
      'check_service_health',
      'inspect_server',
    ])
      expect([name, tools.find((one) => one.name === name)?.tool.holds]).toEqual([name, 'text']);
  });

  it('holds text unless it says otherwise', () => {
    const spec = {
      describe: 'x',
      hints: [],
      input: z.object({}),
      risk: 'safe',
      role: 'viewer',
      egress: false,
    } as const;
    const rest = { deadlineMs: 1, replay: 'harmless', phrases: { done: () => '' }, run: async () => ({}) } as const;
    expect(makeTool({ ...spec, ...rest })).toMatchObject({ holds: 'text', untrusted: true });
  });
});
