import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createPassageStore } from '@signalbox/jobs/knowledge/knowledge-passages';
import { splitMarkdown } from '@signalbox/jobs/knowledge/passages';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import type { KnowledgeScope } from '@signalbox/worker/tools/search/hit';
import { createKnowledgeSearch } from '@signalbox/worker/tools/search/knowledge-search';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { addProject, indexMain, makePackageRepository } from '../../support/search-field.ts';
import { plantHistory } from '../../support/search-history.ts';
import { serviceUrl } from '../../support/service-login.ts';

// Questions about real repositories (fastify, pino, semver and undici, as this tree has installed them), the product's manual, and a
// made-up history. `frozen` was written before anything was tuned; `users` as people ask who do not know the words of the code; `other-author` by
// somebody who had not seen the search, in words of their own. Many of those need vectors, which this test does not have.

interface Question {
  readonly ask: string;
  readonly scope: KnowledgeScope;
  readonly project?: string;
  /** Matches the source of the right place, followed by its text. */
  readonly answer: string;
}

const FOLDER = fileURLToPath(new URL('../../fixtures/search/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const PACKAGES = { web: 'fastify', logger: 'pino', versions: 'semver', client: 'undici' } as const;

let database: TestDatabase;
let owner: Pool;
let worker: Pool;

beforeAll(async () => {
  database = await createDatabase();
  const log = createLog('test', 'silent');
  owner = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  worker = openPool(serviceUrl(database.url, 'worker'), log, { name: 'test', max: 4, as: 'worker' });
  await owner.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
  for (const [project, name] of Object.entries(PACKAGES)) {
    await addProject(owner, project);
    await indexMain(owner, project, makePackageRepository(name));
  }
  const passages = createPassageStore(owner);
  for (const file of (await readdir(DOCS, { recursive: true })).filter((name) => name.endsWith('.md')))
    await passages.replace(`docs/${file}`, file, splitMarkdown(await readFile(`${DOCS}${file}`, 'utf8')));
  await plantHistory(owner);
  await owner.query('analyze');
}, 180_000);
afterAll(async () => {
  await owner.end();
  await worker.end();
  await database.drop();
});

it.each([
  ['frozen', 34],
  ['users', 34],
  ['other-author', 24],
])('of the forty questions “%s”, at least %i find the right place within the first three', async (name, found) => {
  const questions = JSON.parse(readFileSync(`${FOLDER}questions-${name}.json`, 'utf8')) as readonly Question[];
  const knowledge = createKnowledgeSearch(worker);
  const reader = { userKey: '1001', chatKey: null, mayRead: () => true };
  const missed: string[] = [];
  for (const { ask, scope, project, answer } of questions) {
    const { hits } = await knowledge.search({ query: ask, scope, project }, reader, 5);
    const places = hits.slice(0, 3).map(({ source, excerpt }) => `${source}\n${excerpt}`);
    if (!places.some((place) => new RegExp(answer).test(place)))
      missed.push(`${ask} [${scope}]: ${places.map((place) => place.replace(/\n/g, ' ').slice(0, 90)).join(' | ')}`);
  }
  expect(questions).toHaveLength(40);
  expect(missed.slice(40 - found)).toEqual([]);
});
