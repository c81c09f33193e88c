import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capitalize, copyTemplate, insertBelow } from './template.ts';
import type { RefusedScaffold, Scaffold, ScaffoldFile, ScaffoldKind } from './scaffold.ts';

const TEMPLATE = 'spare';
const DRIVERS = 'services/jobs/src/drivers';
const TESTS = 'tests/integration/jobs';
const TRAITS_TABLE = 'shared/contracts/src/operations/drivers.ts';
const OPENERS_TABLE = `${DRIVERS}/open-driver.ts`;

/** Scaffolds a driver that runs programs on this machine until its author changes it. */
export const DRIVER_SCAFFOLD: ScaffoldKind = {
  name: 'driver',
  description: 'a way to run releases on a server',
  wording: ['a driver', 'drivers'],
  template: TEMPLATE,
  // The name is an object key, part of a function name, and a database value with the same check.
  namePattern: /^[a-z][a-z0-9]{1,19}$/,
  nameRule: 'Take 2 to 20 small letters and digits, a letter first.',
  listPaths: (name) => [`${DRIVERS}/${name}`, `${DRIVERS}/${name}.ts`, `${TESTS}/driver-${name}.test.ts`],
  plan: planDriver,
};

function planDriver(checkout: string, name: string): Scaffold | RefusedScaffold {
  const file = `${DRIVERS}/${name}/${name}-driver.ts`;
  const test = `${TESTS}/driver-${name}.test.ts`;
  const changes = listEntries(name).map(({ path, lines }) => {
    const text = lines.reduce<string | null>(
      (so, [below, added]) => (so === null ? null : insertBelow(so, below, added)),
      readFileSync(join(checkout, path), 'utf8'),
    );
    return { path, text };
  });
  const odd = changes.find(({ text }) => text === null);
  if (odd) return { problem: `${odd.path} is not as it was, so no line can be added to its table of drivers.` };
  const moves = [
    { from: `tests/examples/${TEMPLATE}-driver.ts`, to: file },
    { from: `${TESTS}/driver-${TEMPLATE}.test.ts`, to: test },
  ];
  return {
    files: copyTemplate(checkout, moves, [
      [TEMPLATE, name],
      [capitalize(TEMPLATE), capitalize(name)],
    ]),
    changes: changes.flatMap(({ path, text }): readonly ScaffoldFile[] => (text === null ? [] : [{ path, text }])),
    next: [
      `npm test -- --project integration ${test}   passes now, and says what is broken after each step`,
      `${file}   how it does each thing: docs/extending/jobs.md, and Driver in ${DRIVERS}/driver.ts`,
      `${TRAITS_TABLE}   what it is like, by which the product asks: whether it is this machine, runs images, needs a login`,
      `${test}   the target of the tests: a server that it reaches`,
    ],
  };
}

/** Lists lines to insert into the driver tables, each with a pattern of the line above. */
function listEntries(name: string) {
  const create = `create${capitalize(name)}Driver`;
  return [
    {
      path: TRAITS_TABLE,
      lines: [[/^const DRIVERS = \{$/, `  ${name}: { isLocal: true, runsImages: false, needsLogin: false },`]],
    },
    {
      path: OPENERS_TABLE,
      lines: [
        [
          /^import .* from '\.\/process\/process-driver\.ts';$/,
          `import { ${create} } from './${name}/${name}-driver.ts';`,
        ],
        [/^const OPENERS: .* = \{$/, `  ${name}: ${create},`],
      ],
    },
  ] as const;
}
