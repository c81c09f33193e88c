import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// The simulator as a bot author elsewhere gets it: packed, installed into an empty folder, and used as its README says.

const INFRA = fileURLToPath(new URL('../../infra/', import.meta.url));
const PACKAGES = ['page-kit', 'telegram-simulator', 'whatsapp-simulator'] as const;
const BIN = 'node_modules/.bin/telegram-simulator';
const run = promisify(execFile);
const folder = makeTemporaryFolder('simulator-package');

beforeAll(async () => {
  for (const name of PACKAGES) await run('npm', ['pack', '--pack-destination', folder], { cwd: join(INFRA, name) });
  const tarballs = readdirSync(folder).map((name) => `./${name}`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // npx hands on that this repository refuses packages for a newer Node. npm only warns of them elsewhere.
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--engine-strict=false'];
  await run('npm', ['install', ...flags, ...tarballs], { cwd: folder });
  const readme = readFileSync(join(folder, 'node_modules/@signalbox/telegram-simulator/README.md'), 'utf8');
  for (const [, code = '', name = ''] of readme.matchAll(/```js\n(\/\/ (\S+)\n[^]*?)```/g))
    writeFileSync(join(folder, name), code);
});

it('the example bot of the README talks to the installed simulator', async () => {
  const { url, exited } = await start();
  const bot = spawn(process.execPath, ['bot.mjs', url], { cwd: folder, stdio: 'inherit' });
  onTestFinished(() => void bot.kill());
  const people = createSimulatorClient(url);
  await people.say(1001, '/start');
  const answer = await people.nextEvent((event) => event.kind === 'message' && event.message.from.isBot, { after: 0 });
  expect(answer).toMatchObject({ message: { text: 'Hello Ada' } });
  expect(await exited()).toBe(0);
});

it('the installed simulator serves its web page', async () => {
  const { url, exited } = await start();
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/main.js', 'text/javascript'],
    ['/main.css', 'text/css'],
  ] as const) {
    const answer = await fetch(`${url}${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(await answer.text()).not.toContain('React.createElement'); // what the compiler makes of a page without its settings
  }
  expect(await exited()).toBe(0);
});

it('the example test of the README passes in a folder where the simulator package is installed', async () => {
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'bot.test.mjs'], { cwd: folder });
  expect(stdout).toContain('# pass 1');
});

it('the simulator package contains its license, and no tests or settings of this repository', () => {
  const files = readdirSync(join(folder, 'node_modules/@signalbox/telegram-simulator'), { recursive: true }).map(
    String,
  );
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'dist/main.js', 'src/bot-api-schema.json']));
  expect(files.filter((file) => /\.test\.|\.fixture\.|\.map$|tsbuildinfo|tsconfig/.test(file))).toEqual([]);
});

it('the installed simulator and its client work on Node 20', async () => {
  const oldest = await fetchNode('20.20.2');
  const script = join(folder, 'next-event.mjs');
  writeFileSync(
    script,
    `import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
     const people = createSimulatorClient(process.argv[2]);
     await people.say(1001, 'Hello');
     const { message } = await people.nextEvent((event) => event.kind === 'message', { after: 0 });
     const next = people.nextEvent((event) => event.kind === 'message' && event.message.text === 'Bye');
     const timer = setInterval(() => void people.say(1001, 'Bye'), 50);
     console.log(process.version, message.text, (await next).message.text);
     clearInterval(timer);`,
  );
  const { url, exited } = await start(oldest);
  const { stdout } = await run(oldest, [script, url], { cwd: folder, timeout: 60_000 });
  expect(stdout).toBe('v20.20.2 Hello Bye\n');
  expect(await exited()).toBe(0);
  const test = await run(oldest, ['--test', '--test-reporter=tap', 'bot.test.mjs'], { cwd: folder, timeout: 60_000 });
  expect(test.stdout).toContain('# pass 1');
});

it('the installed WhatsApp simulator takes what people say and what a bot sends, on Node 20', async () => {
  const script = join(folder, 'whatsapp.mjs');
  writeFileSync(
    script,
    `import { createSimulator } from '@signalbox/whatsapp-simulator/server';
     import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
     const simulator = await createSimulator();
     await createSimulatorClient(simulator.url).say('12025550101', 'hello');
     const answer = await fetch(simulator.url + '/v26.0/106540352242922/messages', {
       method: 'POST',
       headers: { authorization: 'Bearer simulator-token', 'content-type': 'application/json' },
       body: JSON.stringify({ messaging_product: 'whatsapp', to: '12025550101', type: 'text', text: { body: 'Hi Ada' } }),
     });
     const { messages } = await answer.json();
     const shown = await (await fetch(simulator.url + '/api/people/12025550101/messages')).text();
     console.log(process.version, answer.status, messages.length, shown.includes('Hi Ada'));
     await simulator.close();`,
  );
  const { stdout } = await run(await fetchNode('20.20.2'), [script], { cwd: folder, timeout: 60_000 });
  expect(stdout).toBe('v20.20.2 200 1 true\n');
});

/** Fetches a Node as a bot author elsewhere may have it. Returns its program. */
async function fetchNode(version: string): Promise<string> {
  const home = makeTemporaryFolder('node-20');
  writeFileSync(join(home, 'package.json'), '{}'); // else npm installs into a folder above
  const name = `node-${process.platform}-${process.arch}`;
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${version}`], { cwd: home });
  return join(home, 'node_modules', name, 'bin/node');
}

/** Runs the bin on a free port. `exited` ends it and answers its exit code. */
async function start(
  node = process.execPath,
): Promise<{ readonly url: string; readonly exited: () => Promise<unknown> }> {
  const program = spawn('env', ['SIMULATOR_PORT=0', node, join(folder, BIN)], { cwd: folder });
  onTestFinished(() => void program.kill('SIGKILL'));
  let said = '';
  for await (const part of program.stdout.iterator({ destroyOnReturn: false })) {
    said += String(part);
    const url = /Bot API root (\S+)/.exec(said)?.[1];
    if (url === undefined) continue;
    const exited = async (): Promise<unknown> => {
      const code = once(program, 'exit');
      program.kill();
      return (await code)[0];
    };
    return { url, exited };
  }
  throw new Error(`The program ended: ${said}`);
}
