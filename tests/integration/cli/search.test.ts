import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { plantCode } from '../../support/plant-code.ts';
import { openTerminal, type Written } from './terminal.ts';

let database: TestDatabase;
let pool: Pool;
let signalbox: (...words: readonly string[]) => Promise<Written>;

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
  signalbox = openTerminal({ DATABASE_URL: database.url });
  await pool.query(
    `insert into users (user_key, channel, name, role) values ('1002', 'telegram', 'Ben', 'developer'), ('1005', 'telegram', 'Eli', 'viewer')`,
  );
  await plantCode(pool, 'demo', { 'src/tea.js': '// Brews\nexport function brewTea() {\n  return 1;\n}\n' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('`search` finds code with the rights of the owner, and says what reads on', async () => {
  const { json } = await signalbox('search', 'who brews tea', '--scope', 'code', '--project', 'demo', '--json');
  expect(json).toMatchObject({
    hits: [
      {
        scope: 'code',
        source: 'demo@main:src/tea.js:2',
        next: { tool: 'read_repository_file', args: { project: 'demo', path: 'src/tea.js', from_line: 1 } },
      },
    ],
  });
});

it('`search --person` finds what that person may read, and nothing else', async () => {
  const find = async (person: string) =>
    (await signalbox('search', 'brewTea', '--scope', 'code', '--person', person, '--json')).json;
  expect(await find('1002')).toMatchObject({ hits: [{ source: 'demo@main:src/tea.js:2' }], refused: [] });
  expect(await find('1005')).toMatchObject({ hits: [], refused: ['code'] });
  expect(await signalbox('search', 'brewTea', '--person', '9')).toMatchObject({ code: 1 });
});

it('`search` names the refs that can be searched when the asked one cannot, and refuses an unknown scope', async () => {
  const { json } = await signalbox('search', 'brewTea', '--scope', 'code', '--ref', '9.9.9', '--json');
  expect(json).toMatchObject({ hits: [], refs: ['main'] });
  expect(await signalbox('search', 'brewTea', '--scope', 'pages')).toMatchObject({ code: 2 });
});

it('`doctor` says how searches rank, and which code could not be indexed', async () => {
  const read = async () => {
    const { json } = await signalbox('doctor', '--json');
    return (json as { findings: { what: string; state: string; say: string }[] }).findings.find(
      ({ what }) => what === 'search',
    );
  };
  expect(await read()).toMatchObject({ state: 'ok', say: 'by words; the code of 1 project is indexed, in 1 commit' });
  await pool.query(
    `insert into runs (run_id, job, payload, trace_id, status) values ('run_f', 'knowledge.code', '{"codeOf": "shop"}', 't', 'failed')`,
  );
  expect(await read()).toMatchObject({ state: 'warn', say: expect.stringContaining('not that of shop') });
});

it('`doctor` says why searches have no vectors although an endpoint is configured, and a search still finds', async () => {
  const withEndpoint = openTerminal({ DATABASE_URL: database.url, EMBEDDINGS_URL: 'http://127.0.0.1:9/v1' });
  const { json } = await withEndpoint('doctor', '--json');
  const { findings } = json as { findings: { what: string; state: string; say: string; remedy: string }[] }; // the format of doctor
  expect(findings.find(({ what }) => what === 'search')).toMatchObject({
    state: 'warn',
    say: expect.stringContaining(
      'by words, because the server has no extension `vector`; the code of 1 project is indexed',
    ),
  });
  const { out } = await withEndpoint('search', 'brewTea', '--scope', 'code');
  expect(out).toContain('demo@main:src/tea.js:2');
  expect(out).toContain('Searched by words alone');
});
