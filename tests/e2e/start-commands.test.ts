import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { makeRepository, type TestRepository } from '../support/deploy-repository.ts';
import { eventually } from '../support/until.ts';

// A project whose files do not say how it runs, or say it otherwise: people say it in the chat.

/** Answers as a service behind a name of its own: other hosts are sent to it. */
const SERVER = `
require('node:http').createServer((request, response) => {
  if (request.url === '/up') return response.writeHead(request.headers.host === 'tut.example' ? 204 : 421).end();
  response.writeHead(308, { location: 'https://tut.example' + request.url }).end();
}).listen(process.env.PORT, process.env.HOST);`;
const FILES = {
  'package.json': '{"name":"tut"}',
  'src/serve.js': SERVER,
  'signalbox.json': '{"health":{"withinSeconds":1}}',
};

let demo: DemoStack;
let repository: TestRepository;
beforeAll(async () => {
  demo = await openDemoStack();
  repository = makeRepository(join(demo.targets, '..', 'tut'));
  repository.release('1.0', FILES);
}, 60_000);
afterAll(() => demo.close(), 60_000);

const ask = (text: string, pattern: RegExp): Promise<string> => demo.tell(demo.people.ben, text, pattern, 20_000);
const readRun = async (): Promise<unknown> =>
  (await demo.stack.pool.query(`select run from projects where name = 'tut'`)).rows[0];

it('a project that nobody knows how to start says so at its registration, and offers no deployment', async () => {
  const said = await ask(`create project tut with repository ${repository.folder}`, /created the project tut/);
  expect(said).toMatch(/I cannot tell how \w{7} is started\. Say “the start command of … is node server\.js”\./);
  const [last] = (await demo.people.ben.heard()).slice(-1);
  expect(JSON.stringify(last)).not.toContain('Deploy tut');
});

it('a start command is given in the chat, and the plan is said', async () => {
  const said = await ask('start command of tut is node src/serve.js', /Start command/);
  expect(said).toMatch(
    /As said in the chat: .?start: node src\/serve\.js.?\. To deploy it, I start it with .*node src\/serve\.js/,
  );
});

it('a health check that is led elsewhere says where, and what to say', async () => {
  const said = await ask('deploy tut 1.0 to staging', /❌ Deployed|tut in staging: 1\.0-\w+ failed/);
  expect(said).toMatch(
    /did not answer 200 at \/ within 1 s; its last answer was 308, which leads to https:\/\/tut\.example\/, to GET \/ with the Host 127\.0\.0\.1:\d+\. If that is right, say “the health status of … is 308”/,
  );
}, 60_000);

it('a path, a status and a header of the health check are given in the chat, and the program serves', async () => {
  await ask('the health path of tut is /up', /Health path: .?\/up/);
  expect(await ask('deploy tut 1.0 to staging', /tut in staging: 1\.0-\w+ failed/)).toMatch(
    /its last answer was 421, to GET \/up with the Host 127\.0\.0\.1:\d+\. If it wants another Host, say/,
  );
  await ask('health header of tut is Host: tut.example', /Health header: .?Host/);
  await ask('health status of tut is 204', /Health status: .?204/);
  await ask('deploy tut 1.0 to staging', /✅ Deployed tut in staging: 1\.0-/);
}, 120_000);

it.each([
  ['de', 'der Startbefehl von tut ist node src/de.js', 'der Health-Pfad von tut ist /de'],
  ['es', 'el comando de inicio de tut es node src/es.js', 'la ruta de salud de tut es /es'],
  ['ru', 'команда запуска tut — node src/ru.js', 'путь проверки tut — /ru'],
  ['zh', 'tut 的启动命令是 node src/zh.js', 'tut 的健康检查路径是 /zh'],
])(
  'a start command and a health path are understood in the language %s',
  async (code, start, health) => {
    await demo.people.ben.ask(start);
    await demo.people.ben.ask(health);
    const wanted = expect.objectContaining({ start: `node src/${code}.js`, healthPath: `/${code}` });
    await eventually(readRun, (row) => expect.objectContaining({ run: wanted }).asymmetricMatch(row), 20_000);
  },
  40_000,
);
