import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyTemplate, insertBelow } from './template.ts';
import type { RefusedScaffold, Scaffold, ScaffoldKind } from './scaffold.ts';

const TEMPLATE = 'spare-room';
const CAPABILITIES = 'services/worker/src/capabilities';
const TESTS = 'tests/integration/capabilities';
/** A test that lists sample arguments of every changing tool. */
const ORDERS = 'tests/contracts/orders.test.ts';

/** Scaffolds a capability with a reading and a changing tool that work. */
export const CAPABILITY_SCAFFOLD: ScaffoldKind = {
  name: 'capability',
  description: 'tools that a conversation loads together: one that reads and one that changes',
  wording: ['a capability', 'capabilities'],
  template: TEMPLATE,
  // The tools are named after the capability, and tool names have no digits.
  namePattern: /^(?=.{2,30}$)[a-z]+(?:-[a-z]+)*$/,
  nameRule: 'Take 2 to 30 small letters, with single hyphens between words.',
  listPaths: (name) => [`${CAPABILITIES}/${name}.ts`, `${CAPABILITIES}/${name}`, `${TESTS}/${name}.test.ts`],
  plan: planCapability,
};

function planCapability(checkout: string, name: string): Scaffold | RefusedScaffold {
  const group = name.replaceAll('-', '_');
  const [file, test] = [`${CAPABILITIES}/${name}.ts`, `${TESTS}/${name}.test.ts`];
  const [reads, changes] = [`list_${group}`, `fill_${group}`];
  const twin = [reads, changes].find((tool) => isDeclared(checkout, tool));
  if (twin !== undefined)
    return { problem: `One of its tools would be named ${twin}, and there is one of that name. Take another name.` };
  const orders = insertBelow(
    readFileSync(join(checkout, ORDERS), 'utf8'),
    /^const CHANGES\b.* = \{$/,
    `  ${changes}: { project: 'shop' },`,
  );
  if (orders === null) return { problem: `${ORDERS} has no table CHANGES any more, in which its change has to stand.` };
  const moves = [
    { from: `tests/examples/${TEMPLATE}.ts`, to: file },
    { from: `${TESTS}/${TEMPLATE}.test.ts`, to: test },
  ];
  return {
    files: copyTemplate(checkout, moves, [
      [TEMPLATE, name],
      ['spare_room', group],
      ['spare room', name.replaceAll('-', ' ')],
    ]),
    changes: [{ path: ORDERS, text: orders }],
    next: [
      'npm test -- --project unit tests/contracts/capabilities.test.ts   passes now, and says what is broken after each step',
      `npm test -- --project integration ${test}   passes too: calls of its tools, which become yours`,
      `${file}   its tools: docs/extending/tools.md says what each field promises`,
      `${ORDERS}   arguments of its change, once they are others`,
    ],
  };
}

function isDeclared(checkout: string, tool: string): boolean {
  const folder = join(checkout, CAPABILITIES);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return files.some((path) => new RegExp(`\\b${tool}: `).test(readFileSync(join(folder, path), 'utf8')));
}
