import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileCopy } from './moved-source.ts';
import { capitalize, copyTemplate } from './template.ts';
import type { RefusedScaffold, Scaffold, ScaffoldKind } from './scaffold.ts';

const TEMPLATE = 'postbox';
const TEMPLATE_FOLDER = `tests/examples/${TEMPLATE}`;
const CHANNELS = 'services/gateway/src/channels';
const BENCHES = 'tests/contracts/channels/benches';
const BENCH_FILES = ['.ts', '.test.ts', '-platform.ts'];
const VARIABLES = '.env.example';

/** Scaffolds a channel that works with a made-up platform until its author changes it. */
export const CHANNEL_SCAFFOLD: ScaffoldKind = {
  name: 'channel',
  description: 'a way in and out, such as a messenger',
  wording: ['a channel', 'channels'],
  template: TEMPLATE,
  // Letters only: a user key is `<channel>-<id>`, and the first hyphen ends the name.
  namePattern: /^[a-z]{2,20}$/,
  nameRule: 'Take 2 to 20 small letters, a to z and nothing else.',
  listPaths: (name, checkout) => [`${CHANNELS}/${name}`, ...listMoves(checkout, name).map(({ to }) => to)],
  plan: planChannel,
};

function planChannel(checkout: string, name: string): Scaffold | RefusedScaffold {
  const example = readFileSync(join(checkout, VARIABLES), 'utf8');
  const prefix = `${name.toUpperCase()}_`;
  const foreign = new RegExp(`^(?:# )?${prefix}[A-Z_]+`, 'm').exec(example);
  if (foreign)
    return {
      problem: `Variables of the channel would begin with ${prefix}, as ${foreign[0].replace('# ', '')} does. Take another name.`,
    };
  const files = copyTemplate(checkout, listMoves(checkout, name), [
    [TEMPLATE, name],
    [TEMPLATE.toUpperCase(), name.toUpperCase()],
    [capitalize(TEMPLATE), capitalize(name)],
  ]);
  const config = files.find(({ path }) => path.endsWith('/config.ts'))?.text ?? '';
  const variables = { path: VARIABLES, text: `${example}${describeVariables(config, name)}` };
  return { files, changes: [variables], next: describeNext(name) };
}

function listMoves(checkout: string, name: string): readonly FileCopy[] {
  const sources = readdirSync(join(checkout, TEMPLATE_FOLDER)).toSorted();
  return [
    ...sources.map((file) => ({ from: `${TEMPLATE_FOLDER}/${file}`, to: `${CHANNELS}/${name}/${file}` })),
    ...BENCH_FILES.map((ending) => ({ from: `${BENCHES}/${TEMPLATE}${ending}`, to: `${BENCHES}/${name}${ending}` })),
  ];
}

/** Returns the lines for .env.example: each variable of `config.ts` with its comment and default. */
function describeVariables(config: string, name: string): string {
  const fields = [...config.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}([A-Z_]+):([^]+?)(?=\n {2}\/\*\*|\n\}\))/gm)];
  const lines = fields.flatMap(([, says = '', variable = '', schema = '']) => {
    const [, value = ''] = /\.default\('([^']*)'\)/.exec(schema) ?? [];
    return [`# ${says}`, `# ${variable}=${value}`];
  });
  const heading = `# ---- ${capitalize(name)} (gateway, with GATEWAY_CHANNELS=${name}) `;
  return ['', heading.padEnd(120, '-'), '', ...lines, ''].join('\n');
}

function describeNext(name: string): readonly string[] {
  return [
    `npm test -- --project unit ${BENCHES}/${name}.test.ts   passes now, and says what is broken after each step`,
    `${BENCHES}/${name}-platform.ts   the platform of the tests: replace it by yours`,
    `${CHANNELS}/${name}/client.ts   then how it is called, and so on: docs/extending/channels.md`,
  ];
}
