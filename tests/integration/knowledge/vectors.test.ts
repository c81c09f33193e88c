import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEmbedHandler } from '@signalbox/jobs/knowledge/embed-passages';
import { createPassageStore } from '@signalbox/jobs/knowledge/knowledge-passages';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createHttpEmbedder } from '@signalbox/models/embeddings/http-embedder';
import type { EmbeddingsConfig } from '@signalbox/models/embeddings/settings';
import { createLog } from '@signalbox/platform/log';
import { addVectorColumns, readVectorState } from '@signalbox/store/migrations/vector-columns';
import { openPool } from '@signalbox/store/pool';
import { createKnowledgeSearch } from '@signalbox/worker/tools/search/knowledge-search';
import { createQueryVectors, type VectorOutcome } from '@signalbox/worker/tools/search/query-vector';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { startEmbeddingsServer, type EmbeddingsServer } from '../../support/embeddings-server.ts';
import { addProject, commitFolder, indexMain } from '../../support/search-field.ts';
import { serviceUrl } from '../../support/service-login.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openVectorDatabase, type VectorDatabase } from '../../support/vector-database.ts';

const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const REFUSED = 'zqxzqx';
const log = createLog('test', 'silent');

let database: VectorDatabase;
let server: EmbeddingsServer;
let stateBefore: string;

beforeAll(async () => {
  server = await startEmbeddingsServer(REFUSED);
  database = await openVectorDatabase();
  stateBefore = await readVectorState(database.owner);
  await addVectorColumns(database.owner);
  await addVectorColumns(database.owner);
  for (const name of ['shop', 'blog']) await addProject(database.owner, name);
}, 120_000);
afterAll(async () => {
  await server.close();
  await database.close();
});
beforeEach(async () => {
  server.setDims(256);
  server.takeTexts();
  await database.owner.query(
    'truncate code_refs, code_paths, code_texts, code_passages, code_symbols, code_vectors, knowledge, manual_vectors',
  );
});

const SHOP = {
  'src/hooks.ts': `/** Compares the signature of a webhook with the one that its sender made. */\nexport function compareSignature(webhook: Webhook): boolean {\n  return isEqual(webhook.signature, sign(webhook.body));\n}\n`,
  'src/cart.ts': `/** Adds goods to what a customer chose. */\nexport function fillCart(goods: Goods): void {\n  cart.push(goods);\n}\n`,
  'README.md': '# Shop\n\nGoods are delivered by bicycle couriers.\n',
};

const index = (project: string, files: Readonly<Record<string, string>>) => {
  const folder = makeTemporaryFolder('source');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return indexMain(database.as('analysis'), project, commitFolder(folder));
};

const embedderOf = (model = 'grams') =>
  createHttpEmbedder({ url: `${server.url}/`, model, apiKey: 'sk-test', deadlineMs: 500 });

const embed = (texts: EmbeddingsConfig['EMBEDDINGS_TEXTS'], model = 'grams', changes: Partial<JobContext> = {}) => {
  const context = {
    signal: new AbortController().signal,
    log,
    progress: async () => undefined,
    ...changes,
  } as JobContext; // what the job uses
  const pool = database.as('analysis');
  return createEmbedHandler({ pool, embedder: embedderOf(model), texts, patienceMs: 500 }).run({}, context);
};

const openSearch = (model = 'grams') => {
  const outcomes: VectorOutcome[] = [];
  const pool = database.as('worker');
  const note = (one: VectorOutcome): unknown => outcomes.push(one);
  const vectors = createQueryVectors({ pool, embedder: embedderOf(model), log, note });
  const find = async (query: string, readable: readonly string[] = ['shop', 'blog'], withVectors = true) => {
    const knowledge = withVectors ? createKnowledgeSearch(pool, vectors) : createKnowledgeSearch(pool);
    const mayRead = (_: string, args: Readonly<Record<string, unknown>>) => readable.includes(String(args['project']));
    const { hits } = await knowledge.search({ query, scope: 'docs' }, { userKey: '1', chatKey: null, mayRead }, 5);
    const code = await knowledge.search({ query, scope: 'code' }, { userKey: '1', chatKey: null, mayRead }, 5);
    return [...hits, ...code.hits].map(({ source }) => source);
  };
  return { find, outcomes };
};

/** A word that is in no text; parts of it are. */
const COMPOUND = 'Webhooksignaturvergleich';

it('`migrate` adds vectors to a server that got the extension after the migration ran', async () => {
  expect(stateBefore).toBe('forbidden');
  expect(await readVectorState(database.as('worker'))).toBe('ready');
});

it('a search finds by vectors what no word finds', async () => {
  await index('shop', SHOP);
  expect(await embed('code')).toEqual({ embedded: 3, refused: 0 });
  const { find, outcomes } = openSearch();
  expect(await find(COMPOUND, ['shop'], false)).toEqual([]);
  expect((await find(COMPOUND))[0]).toMatch(/^shop@main:src\/hooks\.ts:/);
  expect(outcomes).toEqual(['used', 'used']);
  expect(server.asked().at(-1)).toMatchObject({
    path: '/v1/embeddings',
    authorization: 'Bearer sk-test',
    model: 'grams',
  });
});

it('what words and vectors both find comes before what only one of them finds', async () => {
  await index('shop', {
    ...SHOP,
    'src/other.ts': 'export const signatureless = true;\n',
    'src/hook.ts': '// webhooks and hooking, signatures and signing\nexport const none = 1;\n',
  });
  await embed('code');
  const found = await openSearch().find('compareSignature of a webhook');
  expect(found[0]).toMatch(/^shop@main:src\/hooks\.ts:/);
  expect(found.length).toBeGreaterThan(1);
});

it('vectors find nothing in projects that the person may not read', async () => {
  await index('shop', SHOP);
  await index('blog', { 'a.ts': '// Signatures of webhooks are compared here\nexport const blogged = 1;\n' });
  await embed('code');
  const found = await openSearch().find(COMPOUND, ['blog']);
  expect(found).toEqual([expect.stringMatching(/^blog@main:a\.ts:/)]);
});

it('a text is sent once, whatever commits hold it, and a changed file is sent alone', async () => {
  await index('shop', SHOP);
  await embed('code');
  server.takeTexts();
  await index('blog', SHOP);
  expect(await embed('code')).toEqual({ embedded: 0, refused: 0 });
  expect(server.takeTexts()).toEqual(['Signalbox']);
  await index('shop', { ...SHOP, 'src/cart.ts': '// Empties the cart\nexport const emptied = [];\n' });
  expect(await embed('code')).toEqual({ embedded: 1, refused: 0 });
  expect(server.takeTexts()).toEqual(['Signalbox', expect.stringContaining('Empties the cart')]);
});

it('another model, or another length of its vectors, makes all vectors anew', async () => {
  await index('shop', SHOP);
  await embed('code');
  expect(await embed('code', 'other')).toEqual({ embedded: 3, refused: 0 });
  server.setDims(64);
  expect(await openSearch('other').find(COMPOUND)).toEqual([]);
  expect(await embed('code', 'other')).toEqual({ embedded: 3, refused: 0 });
  expect((await openSearch('other').find(COMPOUND))[0]).toMatch(/^shop@main:src\/hooks\.ts:/);
});

it('a killed run goes on behind the batch that it has stored', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 70 }, (_, n) => [`part${n}.js`, `export const part${n}th = ${n};\n`]),
  );
  await index('shop', files);
  const end = new AbortController();
  const killed = embed('code', 'grams', { signal: end.signal, progress: async () => end.abort(new Error('killed')) });
  await expect(killed).rejects.toThrow('killed');
  expect(await embed('code')).toEqual({ embedded: 70 - 32, refused: 0 });
});

it('only what EMBEDDINGS_TEXTS names is sent, and no secret', async () => {
  await index('shop', { ...SHOP, 'src/key.ts': `export const key = '${TOKEN}';\n` });
  await createPassageStore(database.as('maintenance')).replace('docs/tea.md', 'h1', [
    { heading: 'Tea', content: 'Tea is brewed.' },
  ]);
  expect(await embed('manual')).toEqual({ embedded: 1, refused: 0 });
  expect(server.takeTexts()).toEqual(['Signalbox', 'Tea\nTea is brewed.']);
  expect(await embed('docs')).toEqual({ embedded: 1, refused: 0 });
  expect(server.takeTexts()).toEqual(['Signalbox', expect.stringContaining('bicycle couriers')]);
  expect(await embed('code')).toEqual({ embedded: 3, refused: 0 });
  await openSearch().find(`who uses ${TOKEN}`);
  const sent = server.takeTexts();
  expect(sent.length).toBeGreaterThan(4);
  expect(sent.join('\n')).not.toContain(TOKEN);
});

it('the manual is found by vectors too', async () => {
  const store = createPassageStore(database.as('maintenance'));
  await store.replace('docs/hooks.md', 'h1', [
    { heading: 'Webhooks', content: 'A signature is compared with that of the sender.' },
  ]);
  await store.replace('docs/tea.md', 'h2', [{ heading: 'Tea', content: 'Tea is brewed at noon.' }]);
  await embed('manual');
  expect(await openSearch().find(COMPOUND)).toEqual(['docs/hooks.md § Webhooks']);
});

it('a text that the endpoint refuses keeps no other from its vector, and is not sent again', async () => {
  await index('shop', { ...SHOP, 'src/odd.ts': `export const ${REFUSED} = 1;\n` });
  expect(await embed('code')).toEqual({ embedded: 3, refused: 1 });
  server.takeTexts();
  expect(await embed('code')).toEqual({ embedded: 0, refused: 0 });
  expect(server.takeTexts()).toEqual(['Signalbox']);
  expect((await openSearch().find(COMPOUND))[0]).toMatch(/^shop@main:src\/hooks\.ts:/);
});

it.each([
  ['is silent', 'hang'],
  ['fails', { status: 500 }],
  ['wants another key', { status: 401 }],
  ['answers a page', { body: '<html>no</html>' }],
  ['answers too few vectors', { body: '{"data": []}' }],
] as const)('an endpoint that %s leaves a search its words, and the next one does not wait', async (_, fault) => {
  await index('shop', SHOP);
  await embed('code');
  const { find, outcomes } = openSearch();
  server.plan(fault);
  expect(await find('compareSignature')).toEqual([expect.stringMatching(/^shop@main:src\/hooks\.ts:/)]);
  expect(outcomes).toEqual(['failed', 'paused']);
});

it('an endpoint that fails ends a run of the job, and the next goes on', async () => {
  await index('shop', SHOP);
  server.plan({ status: 503 });
  expect(await embed('code')).toEqual({ embedded: 0, refused: 0 });
  expect(await embed('code')).toEqual({ embedded: 3, refused: 0 });
});

it('a removed text takes its vector along', async () => {
  await index('shop', SHOP);
  await embed('code');
  await database.owner.query('delete from code_refs');
  await database.owner.query('delete from code_texts');
  expect((await database.owner.query('select from code_vectors')).rowCount).toBe(0);
});

it('a server without the extension is migrated and searched by words, and nothing is sent', async () => {
  const plain = await createDatabase();
  const [owner, worker, analysis] = [
    openPool(plain.url, log, { name: 'test', max: 2, as: 'owner' }),
    openPool(serviceUrl(plain.url, 'worker'), log, { name: 'test', max: 4, as: 'worker' }),
    openPool(serviceUrl(plain.url, 'analysis'), log, { name: 'test', max: 4, as: 'analysis' }),
  ];
  try {
    await addVectorColumns(owner);
    expect(await readVectorState(worker)).toBe('missing');
    await addProject(owner, 'shop');
    const folder = makeTemporaryFolder('source');
    writeFileSync(join(folder, 'tea.js'), 'export const brewTea = 1;\n');
    await indexMain(analysis, 'shop', commitFolder(folder));
    const context = {
      signal: new AbortController().signal,
      log,
      progress: async () => undefined,
    } as unknown as JobContext; // what the job uses
    const job = createEmbedHandler({ pool: analysis, embedder: embedderOf(), texts: 'code', patienceMs: 500 });
    expect(await job.run({}, context)).toEqual({ embedded: 0, refused: 0 });
    const outcomes: VectorOutcome[] = [];
    const vectors = createQueryVectors({
      pool: worker,
      embedder: embedderOf(),
      log,
      note: (one) => outcomes.push(one),
    });
    const reader = { userKey: '1', chatKey: null, mayRead: () => true };
    const { hits } = await createKnowledgeSearch(worker, vectors).search(
      { query: 'brewTea', scope: 'code' },
      reader,
      5,
    );
    expect(hits.map(({ source }) => source)).toEqual(['shop@main:tea.js:1']);
    expect([outcomes, server.takeTexts()]).toEqual([['unready'], []]);
  } finally {
    for (const pool of [owner, worker, analysis]) await pool.end();
    await plain.drop();
  }
});
