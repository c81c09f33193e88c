import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '@signalbox/cli/catalog';
import { COMMANDS as CHAT_COMMANDS } from '@signalbox/gateway/commands/registry';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readExampleVariables } from '../architecture/documents.ts';
import { PAGES, readPage, type Block } from '../support/task-pages.ts';

// What a page of docs/tasks/ prints and no test can run, such as a cluster, names only commands, files and settings that exist.

const ROOT = getCheckoutPath();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** The languages of blocks. The pages that a person runs have `sh` and `chat`; a test runs both. */
const LANGUAGES = new Set(['sh', 'chat', 'text', 'env', 'yaml', 'json', 'hcl', 'sql']);
const GATE_VARIABLES = [...read('docs/gates.md').matchAll(/\b(?:GATE|SIGNALBOX|GITHUB|CI)_[A-Z_]+\b/g)].map(String);
const VARIABLES = new Set([
  ...readExampleVariables(read('.env.example')),
  ...GATE_VARIABLES,
  'BACKUP',
  'SECRET',
  'HOOKS',
]);
const SCRIPTS = new Set(
  Object.keys(z.object({ scripts: z.object({}).loose() }).parse(JSON.parse(read('package.json'))).scripts),
);
const CLI = new Set(COMMANDS.flatMap(({ usage }) => usage.map((line) => /^[a-z-]+(?: [a-z-]+)?/.exec(line)?.[0])));
const { catalog } = createRegistry(await loadCapabilities());
const CHAT = new Set(CHAT_COMMANDS.map(({ name }) => name));

/** What a block names and the product does not have. */
function findUnknown({ language, text, reason }: Pick<Block, 'language' | 'text' | 'reason'>): readonly string[] {
  if (language === 'chat' && reason === null) return []; // it is played
  if (language === 'chat') return text.trim().split('\n').flatMap(findUnknownWords);
  const unknown: string[] = [];
  for (const [, name = ''] of text.matchAll(/(?<![\w$}.-])([A-Z][A-Z0-9_]{3,})(?==|: |, value)/g))
    if (!VARIABLES.has(name) && !VARIABLES.has(name.replace(/_FILE$/, ''))) unknown.push(name);
  for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([a-z]+)/g))
    if (!SCRIPTS.has(name)) unknown.push(`npm run ${name}`);
  for (const [, words = ''] of text.matchAll(/(?:signalbox --|cli\/dist\/main\.js) ([a-z-]+(?: [a-z-]+)?)/g))
    if (!CLI.has(words) && !CLI.has(words.split(' ')[0])) unknown.push(`signalbox ${words}`);
  for (const [path] of text.matchAll(/\b(?:infra|services|docs)\/[\w./-]*\w/g))
    if (!existsSync(join(ROOT, path.replace('/dist/', '/src/').replace(/main\.js$/, 'main.ts')))) unknown.push(path);
  return unknown;
}

function findUnknownWords(line: string): readonly string[] {
  const [, name = '', words = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
  const [, command] = /^\/(\w+)/.exec(words) ?? [];
  if (name === 'Signalbox' || words.startsWith('[')) return [];
  if (command !== undefined) return CHAT.has(command) ? [] : [`/${command}`];
  const { calls, question } = explainMessage(catalog, words, PriorContext.parse({}));
  return calls.length > 0 || question !== null ? [] : [words];
}

describe.each(PAGES)('docs/tasks/%s.md', (name) => {
  const blocks = readPage(name);
  it('names only commands, files and settings that exist', () => {
    expect(blocks.flatMap(findUnknown)).toEqual([]);
  });

  it('has blocks that can be read, in languages with a meaning', () => {
    expect(blocks.filter(({ language }) => !LANGUAGES.has(language))).toEqual([]);
    const inLanguage = (name: string) => blocks.filter(({ language }) => language === name).map(({ text }) => text);
    expect(inLanguage('yaml').flatMap((text) => parseAllDocuments(text).flatMap(({ errors }) => errors))).toEqual([]);
    for (const text of inLanguage('json')) JSON.parse(text);
  });

  it('is short', () => {
    expect(read(`docs/tasks/${name}.md`).split('\n').length).toBeLessThanOrEqual(121);
  });
});

it('an unknown command, setting or file of a block is noticed', () => {
  const text = 'NO_SUCH_THING=1 npm run nothing\nnpm run signalbox -- nothing at all\nnode infra/nothing.mjs\n';
  expect(findUnknown({ language: 'sh', text, reason: null })).toEqual([
    'NO_SUCH_THING',
    'npm run nothing',
    'signalbox nothing at',
    'infra/nothing.mjs',
  ]);
  expect(findUnknown({ language: 'chat', text: 'Ada: /nothing\nAda: flurb the zorgle\n', reason: 'made up' })).toEqual([
    '/nothing',
    'flurb the zorgle',
  ]);
});

it('the costs of docs/tasks/model.md follow from the prices', () => {
  const { models } = z
    .object({ models: z.record(z.string(), z.object({ input: z.number(), cached: z.number(), output: z.number() })) })
    .parse(JSON.parse(read('infra/models/prices.json')));
  const rows = [...read('docs/tasks/model.md').matchAll(/^\| (\w+:[\w.-]+) +\| ([\d.]+) ct +\| (\d+) USD/gm)];
  const told = rows.map(([, model = '', cents, dollars]) => [model, Number(cents), Number(dollars)]);
  const costs = told.map(([model]) => {
    const { input, cached, output } = models[String(model)] ?? { input: NaN, cached: NaN, output: NaN };
    const dollars = (6_750 * (input + cached) + 450 * output) / 1_000_000;
    return [model, Math.round(1_000 * dollars) / 10, Math.round(1_000 * dollars)];
  });
  expect(told.length).toBeGreaterThan(4);
  expect(told).toEqual(costs);
});
