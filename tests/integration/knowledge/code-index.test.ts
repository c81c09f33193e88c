import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { searchCode } from '@signalbox/worker/tools/search/code-rows';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { addProject, commitFolder, indexCode, indexMain, type SourceRepository } from '../../support/search-field.ts';
import { serviceUrl } from '../../support/service-login.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// The index is written with the login of the pool `analysis`, and read with that of the worker.

let database: TestDatabase;
let owner: Pool;
let analysis: Pool;
let worker: Pool;
const log = createLog('test', 'silent');

beforeAll(async () => {
  database = await createDatabase();
  owner = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  analysis = openPool(serviceUrl(database.url, 'analysis'), log, { name: 'test', max: 6, as: 'analysis' });
  worker = openPool(serviceUrl(database.url, 'worker'), log, { name: 'test', max: 4, as: 'worker' });
  for (const name of ['shop', 'blog']) await addProject(owner, name);
});
afterAll(async () => {
  for (const pool of [owner, analysis, worker]) await pool.end();
  await database.drop();
});
beforeEach(() => owner.query('truncate code_refs, code_paths, code_texts, code_passages, code_symbols, code_vectors'));

const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

function make(files: Readonly<Record<string, string | Buffer>>): SourceRepository {
  const folder = makeTemporaryFolder('source');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return commitFolder(folder);
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`src/part${n}.js`, `export function part${n}() {\n  return ${n};\n}\n`]),
  );

const count = async (table: string): Promise<number> =>
  Number((await owner.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n);

const find = async (query: string, projects: readonly string[] = ['shop', 'blog'], ref: string | null = null) =>
  (await searchCode(worker, { query, isDocs: false, projects, ref, limit: 5 })).map(
    (hit) => `${hit.project}@${hit.ref}:${hit.path}:${hit.line}`,
  );

describe('the index of code', () => {
  it('finds a definition by its name, by words of its comment, and by a word for the same thing', async () => {
    await indexMain(
      analysis,
      'shop',
      make({
        'src/basket.ts': `import x from 'y';\n\nconst LIMIT = 3;\n\n/** Adds what a customer chose. */\nexport function putIntoBasket(item: Item): void {\n  basket.push(item);\n}\n`,
        'src/mail.py':
          'import smtplib\n\n\nclass Mailer:\n    def deliver(self, letter):\n        """Sends a letter to its reader."""\n        smtplib.send(letter)\n',
      }),
    );
    expect((await find('putIntoBasket'))[0]).toBe('shop@main:src/basket.ts:6');
    expect((await find('what did the customer choose'))[0]).toMatch(/^shop@main:src\/basket\.ts:/);
    expect((await find('publish letters'))[0]).toMatch(/^shop@main:src\/mail\.py:/);
    expect((await find('putIntoBaskte'))[0]).toBe('shop@main:src/basket.ts:6');
    expect(await find('zzzqqq')).toEqual([]);
  });

  it('stores a text once, whatever projects and commits hold it, and removes it when none does', async () => {
    const repository = make({ 'a.js': 'export const alpha = 1;\n', 'b.js': 'export const beta = 2;\n' });
    await indexMain(analysis, 'shop', repository);
    expect(await indexMain(analysis, 'blog', repository)).toMatchObject({ added: 0, commits: [{ indexed: 2 }] });
    expect([await count('code_texts'), await count('code_paths')]).toEqual([2, 4]);
    expect(await find('alpha')).toEqual([expect.stringMatching(/^(?:blog|shop)@main:a\.js:1$/)]);
    const nothing = { mirror: null, folder: null, commits: [] };
    await indexCode(analysis, { codeOf: 'shop', ...nothing });
    expect(await find('alpha')).toEqual(['blog@main:a.js:1']);
    await indexCode(analysis, { codeOf: 'blog', ...nothing });
    // A text that nothing holds stays for an hour, because another run may be about to use it.
    expect([await count('code_texts'), await count('code_paths')]).toEqual([2, 0]);
    await owner.query(`update code_texts set made_at = now() - interval '2 hours'`);
    await indexCode(analysis, { codeOf: 'blog', ...nothing });
    expect([await count('code_texts'), await count('code_passages'), await count('code_symbols')]).toEqual([0, 0, 0]);
  });

  it('indexes only what is new in another commit, and searches the commit that is asked for', async () => {
    const first = make(many(20));
    await indexMain(analysis, 'shop', first);
    writeFileSync(join(first.folder, 'src/part0.js'), 'export function renamed() {\n  return 0;\n}\n');
    const second = commitFolder(first.folder);
    const commits = [
      { commit: first.commit, names: ['1.0.0'], isMain: false },
      { commit: second.commit, names: ['main'], isMain: true },
    ];
    const both = { codeOf: 'shop', mirror: second.mirror, folder: null, commits };
    expect(await indexCode(analysis, both)).toMatchObject({ added: 1, removed: 0 });
    expect(await find('renamed')).toEqual(['shop@main:src/part0.js:1']);
    expect(await find('renamed', ['shop'], '1.0.0')).toEqual([]);
    expect(await find('part0', ['shop'], '1.0.0')).toEqual(['shop@1.0.0:src/part0.js:1']);
    expect(await find('part0', ['shop'], first.commit.slice(0, 9))).toEqual(['shop@1.0.0:src/part0.js:1']);
    expect(await indexCode(analysis, { ...both, commits: commits.slice(1) })).toMatchObject({ removed: 1, added: 0 });
    expect(await find('part0', ['shop'], '1.0.0')).toEqual([]);
  });

  it('goes on after a kill where it was, without reading a text twice', async () => {
    const repository = make(many(120));
    const killed = new AbortController();
    const payload = {
      codeOf: 'shop',
      mirror: repository.mirror,
      folder: null,
      commits: [{ commit: repository.commit, names: ['main'], isMain: true }],
    };
    const onProgress = (done: number): void => {
      if (done > 0) killed.abort(new Error('killed'));
    };
    await expect(indexCode(analysis, payload, { signal: killed.signal, onProgress })).rejects.toThrow('killed');
    const before = await count('code_texts');
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(120);
    expect(await find('part7')).toEqual([]);
    expect(await indexCode(analysis, payload)).toMatchObject({ added: 120 - before, commits: [{ indexed: 120 }] });
    expect(await indexCode(analysis, payload)).toMatchObject({ added: 0, commits: [{ indexed: 120 }] });
    expect(await find('part7')).toContain('shop@main:src/part7.js:1');
  });

  it('has one result when several processes index the same at once', async () => {
    const repository = make(many(90));
    const results = await Promise.all([
      ...[1, 2, 3].map(() => indexMain(analysis, 'shop', repository)),
      indexMain(analysis, 'blog', repository),
    ]);
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(90);
    expect([await count('code_texts'), await count('code_paths'), await count('code_refs')]).toEqual([90, 180, 2]);
  });

  it('leaves out what nobody wrote by hand, and counts and names it', async () => {
    const { commits } = await indexMain(
      analysis,
      'shop',
      make({
        'src/own.js': 'export const own = 1;\n',
        'node_modules/left/index.js': 'module.exports = 1;\n',
        'dist/app.js': 'var a = 1;\n',
        'package-lock.json': '{}\n',
        'src/made.ts': '// @generated by a tool\nexport const made = 1;\n',
        'logo.png': Buffer.from([137, 80, 78, 71, 0, 1]),
        'data.csv': 'a,b\n'.repeat(100_000),
      }),
    );
    expect(commits).toEqual([
      expect.objectContaining({
        files: 7,
        indexed: 1,
        left: {
          vendored: { count: 1, paths: ['node_modules/left/index.js'] },
          generated: { count: 3, paths: expect.arrayContaining(['dist/app.js', 'package-lock.json', 'src/made.ts']) },
          large: { count: 1, paths: ['data.csv'] },
          binary: { count: 1, paths: ['logo.png'] },
        },
      }),
    ]);
    expect(await find('made')).toEqual([]);
  });

  it('stores no secret, in no column', async () => {
    await indexMain(
      analysis,
      'shop',
      make({
        'src/login.js': `const token = '${TOKEN}';\nlogin(token);\n`,
        [`docs/${TOKEN}.md`]: `# Login\n\nUse ${TOKEN}.\n`,
      }),
    );
    const { rows } = await owner.query<{ all: string }>(
      `select concat((select json_agg(p) from code_passages p), (select json_agg(x) from code_paths x), (select json_agg(s) from code_symbols s),
         (select json_agg(w) from knowledge_words w)) as all`,
    );
    expect(rows[0]?.all).toContain('login');
    expect(rows[0]?.all.toLowerCase()).not.toContain(TOKEN.toLowerCase().slice(4));
  });
});
