import { copyTemplate } from './template.ts';
import { findTaken, type Refused, type Scaffold, type ScaffoldKind } from './scaffold.ts';

/** The example agent that is copied; its tests pass. */
const TEMPLATE = 'echo';
const AGENTS = 'services/worker/src/agents';
const TESTS = 'tests/agents';

/** Used in `/agent_<id>`, where Telegram allows 26 characters. */
const NAME = /^(?=.{2,26}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Scaffolds an agent that repeats its input until its author changes it. */
export const AGENT: ScaffoldKind = {
  name: 'agent',
  what: 'who turns the messages of a conversation into answers',
  plan: planAgent,
};

function planAgent(checkout: string, name: string): Scaffold | Refused {
  if (!NAME.test(name))
    return {
      problem: `'${name}' cannot be the name of an agent. Take 2 to 26 small letters, digits and single hyphens, a letter first.`,
    };
  if (name === TEMPLATE) return { problem: `'${name}' is the example that new agents are made of. Take another name.` };
  const id = name.replaceAll('-', '_');
  const folder = `${AGENTS}/${name}`;
  const index = `${folder}/index.ts`;
  const test = `${TESTS}/${name}.test.ts`;
  const taken = findTaken(checkout, [folder, `${folder}.ts`, test]);
  if (taken !== null) return { problem: `${taken} is there already. Take another name, or remove it first.` };
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
