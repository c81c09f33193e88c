import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capitalize, copyTemplate, insertBelow } from './template.ts';
import { findTaken, type Refused, type Scaffold, type ScaffoldFile, type ScaffoldKind } from './scaffold.ts';

/** The example driver that is copied; its tests pass. */
const TEMPLATE = 'spare';
const DRIVERS = 'services/jobs/src/drivers';
const TESTS = 'tests/integration/jobs';
const TRAITS_TABLE = 'shared/contracts/src/operations/drivers.ts';
const OPENERS_TABLE = `${DRIVERS}/open-driver.ts`;

/** Used as a key, in a function name, and in the database, which has the same check. */
const NAME = /^[a-z][a-z0-9]{1,19}$/;

/** Scaffolds a driver that runs programs on this machine until its author changes it. */
export const DRIVER: ScaffoldKind = {
  name: 'driver',
  what: 'a way to run releases on a server',
  plan: planDriver,
};

function planDriver(checkout: string, name: string): Scaffold | Refused {
  if (!NAME.test(name))
    return {
      problem: `'${name}' cannot be the name of a driver. Take 2 to 20 small letters and digits, a letter first.`,
    };
  if (name === TEMPLATE)
    return { problem: `'${name}' is the example that new drivers are made of. Take another name.` };
  const folder = `${DRIVERS}/${name}`;
  const file = `${folder}/${name}-driver.ts`;
  const test = `${TESTS}/driver-${name}.test.ts`;
  const taken = findTaken(checkout, [folder, `${folder}.ts`, test]);
  if (taken !== null) return { problem: `${taken} is there already. Take another name, or remove it first.` };
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

/** Entries to insert below matching lines of the driver tables. */
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
