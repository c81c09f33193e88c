import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findTaken, type Refused, type Scaffold } from './scaffold.ts';
import { capitalize, copyTemplate } from './template.ts';

/** The plug-in that is copied. It is an example of the tests, so it compiles and passes what it promises. */
const TEMPLATE = 'shelf';
const TEMPLATE_FOLDER = `tests/examples/${TEMPLATE}`;

/** It names tables, codes and tools, which have neither digits nor hyphens in common. */
const NAME = /^[a-z]{2,20}$/;

/** `npm run new -- agent <name> --with-table`: a plug-in with an agent, two tables, sentences and a policy. It changes no other file. */
export function planPlugin(checkout: string, name: string): Scaffold | Refused {
  if (!NAME.test(name))
    return { problem: `'${name}' cannot be the name of an agent with tables. Take 2 to 20 small letters.` };
  if (name === TEMPLATE) return { problem: `'${name}' is the example that new agents are made of. Take another name.` };
  const folder = `examples/${name}`;
  if (findTaken(checkout, [folder]) !== null)
    return { problem: `${folder} is there already. Take another name, or remove it first.` };
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
      ['"../../../s', '"../../s'], // the packages that tsconfig.json names
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

/** The files of the template, without what was built. */
function listFiles(checkout: string): readonly string[] {
  const names = readdirSync(join(checkout, TEMPLATE_FOLDER), { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(checkout, TEMPLATE_FOLDER).length + 1))
    .filter((path) => !path.startsWith('dist/'))
    .toSorted();
}
