import { copyTemplate } from './template.ts';
import type { Scaffold, ScaffoldKind } from './scaffold.ts';

const TEMPLATE = 'echo';
const AGENTS = 'services/worker/src/agents';
const TESTS = 'tests/agents';

/** Scaffolds an agent that repeats its input until its author changes it. */
export const AGENT_SCAFFOLD: ScaffoldKind = {
  name: 'agent',
  description: 'turns messages into answers; with --with-table, stores data of its own',
  wording: ['an agent', 'agents'],
  template: TEMPLATE,
  // The name is part of `/agent_<id>`, where Telegram allows 26 characters for the id.
  namePattern: /^(?=.{2,26}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
  nameRule: 'Take 2 to 26 small letters, digits and single hyphens, a letter first.',
  listPaths: (name) => [`${AGENTS}/${name}`, `${AGENTS}/${name}.ts`, `${TESTS}/${name}.test.ts`],
  plan: planAgent,
};

function planAgent(checkout: string, name: string): Scaffold {
  const id = name.replaceAll('-', '_');
  const index = `${AGENTS}/${name}/index.ts`;
  const test = `${TESTS}/${name}.test.ts`;
  const moves = [
    { from: `tests/examples/${TEMPLATE}.ts`, to: index },
    { from: `${TESTS}/${TEMPLATE}.test.ts`, to: test },
  ];
  return {
    files: copyTemplate(checkout, moves, [[TEMPLATE, id]]),
    changes: [],
    next: [
      'npm test -- --project unit tests/contracts/agents.test.ts   passes now, and says what is broken after each step',
      `npm test -- --project agents ${test}   passes too: conversations with it, which become yours`,
      `${index}   what it is, what it asks and what it does: docs/extending/models.md`,
      `npm start, and write /agent ${id}`,
    ],
  };
}
