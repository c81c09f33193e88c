import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Scaffold, ScaffoldKind } from './scaffold.ts';
import { capitalize, copyTemplate } from './template.ts';

const TEMPLATE = 'shelf';
const TEMPLATE_FOLDER = `tests/examples/${TEMPLATE}`;

/** `npm run new -- agent <name> --with-table`: a plug-in with an agent, two tables, sentences and a policy. Changes no file. */
export const PLUGIN_SCAFFOLD: ScaffoldKind = {
  name: 'agent',
  description: 'an agent that stores data of its own',
  wording: ['an agent with tables', 'agents'],
  template: TEMPLATE,
  // The name is part of tables, codes and tools, which all allow letters.
  namePattern: /^[a-z]{2,20}$/,
  nameRule: 'Take 2 to 20 small letters.',
  listPaths: (name) => [`examples/${name}`],
  plan: planPlugin,
};

function planPlugin(checkout: string, name: string): Scaffold {
  const folder = `examples/${name}`;
  const moves = listFiles(checkout).map((file) => ({
    from: `${TEMPLATE_FOLDER}/${file}`,
    to: `${folder}/${file.replaceAll(TEMPLATE, name)}`,
  }));
  return {
    files: copyTemplate(checkout, moves, [
      [TEMPLATE, name],
      [TEMPLATE.toUpperCase(), name.toUpperCase()],
      [capitalize(TEMPLATE), capitalize(name)],
      ['../../../tsconfig.base.json', '../../tsconfig.base.json'],
      ['"../../../s', '"../../s'], // references in tsconfig.json to packages below services/ and shared/
    ]),
    changes: [],
    next: [
      'npm test -- --project unit tests/contracts/plugins.test.ts   passes now, and says what is broken after each step',
      `npm test -- --project agents ${folder}   passes too: conversations with it, which become yours`,
      `${folder}   its tables, sentences, codes, policy, tools and page: docs/extending/plugins.md`,
      `AGENTS=examples/bank,${folder} npm start, and write /agent ${name}`,
    ],
  };
}

function listFiles(checkout: string): readonly string[] {
  const names = readdirSync(join(checkout, TEMPLATE_FOLDER), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(checkout, TEMPLATE_FOLDER).length + 1))
    .filter((path) => !path.startsWith('dist/'))
    .toSorted();
}
