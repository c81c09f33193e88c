import { createSimulator } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import { freePort } from '../support/free-port.ts';
import { createPlayedModels } from '../support/played-model.ts';
import type { Person } from '../support/person.ts';
import { speakInWhatsApp } from '../support/speakers.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { whatsAppVariables } from '../whatsapp/variables.ts';

const sandbox = await locateTestSandbox('computing on files that people send');
const data = Buffer.from('hello').toString('base64');
const encode = (text: string): string => Buffer.from(text).toString('base64');

const sendFiles = async (stack: Stack, body: object, from = 1001): Promise<void> => {
  const response = await fetch(`${stack.simulatorUrl}/api/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from, ...body }),
  });
  expect(await response.json()).toMatchObject({ ok: true });
};

describe('files that people send', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    stack = await openStack({ jobs: true, pools: ['agents'] });
    ada = await stack.person(1001, 'admin');
  });
  afterAll(() => stack.close());

  it('do not change how the words of a request are understood', async () => {
    const files = [{ name: 'logo.png', data }];
    await sendFiles(stack, { text: 'create a project called shop for the web shop', files });
    expect(await ada.waitFor(/created the project/)).toContain('shop');
    const { rows } = await stack.pool.query('select name, description from projects');
    expect(rows).toEqual([{ name: 'shop', description: expect.not.stringContaining('attached') as string }]);
  });

  it('without a caption are answered with where they lie, once for each album', async () => {
    const files = ['plan.pdf', 'costs.xlsx'].map((name) => ({ name, data }));
    await ada.ask('/new');
    await sendFiles(stack, { files });
    expect(await ada.waitFor(/^I got/)).toBe(
      'I got 2 files: attachments/plan.pdf, attachments/costs.xlsx, in the folder of this conversation. Please write what you need.',
    );
    expect((await ada.ask('show the file attachments/plan.pdf')).join()).toContain('hello');
    const said = (await ada.heard()).map((message) => message.text);
    expect(said.filter((text) => text.startsWith('I got'))).toHaveLength(1);
  });

  it('of a viewer are not kept, and a conversation that began with them is closed', async () => {
    const vera = await stack.person(1009, 'viewer');
    await sendFiles(stack, { files: [{ name: 'plan.pdf', data }] }, 1009);
    expect(await vera.waitFor(/^I got/)).toBe(
      'I got plan.pdf, but I cannot look into files: I have your words only. Please write what you need.',
    );
    const { rows } = await stack.pool.query(`select status, title from threads where user_key = '1009'`);
    expect(rows).toEqual([{ status: 'closed', title: null }]);
  });

  it('that are voice messages are answered that voice notes are switched off', async () => {
    await sendFiles(stack, { files: [{ kind: 'voice', name: 'v.ogg', data, durationSeconds: 2 }] });
    expect(await ada.waitFor(/voice/)).toBe(
      'I cannot listen to voice notes: they are not switched on here. Please write what you need.',
    );
  });

  it('leave a waiting question open', async () => {
    await ada.ask('create a project called blog');
    await sendFiles(stack, { files: [{ name: 'draft.txt', data }] });
    await ada.waitFor(/^I got the file: attachments\/draft\.txt/);
    expect((await ada.ask('articles about tea')).join()).toMatch(/created the project.*blog/i);
  });
});

/** Ten lines; the sum of the second column is 385. */
const CSV = ['day,orders', ...Array.from({ length: 10 }, (_, day) => `${day + 1},${(day + 1) ** 2}`)].join('\n');
const SUM = `awk -F, 'NR > 1 { total += $2 } END { print "total " total }' attachments/*.csv`;

describe.skipIf(sandbox === null)('a file and a question about it', () => {
  let stack: Stack;
  let ada: Person;
  let people: SimulatorClient;
  let close: () => Promise<void>;
  const read: string[] = [];
  const run = (command: string) => ({ tool: 'run_command', args: { command } });
  const PARTS = {
    'how many orders': [run(SUM)],
    'which files': [run('ls -1 attachments; cat attachments/*')],
    'look around': [
      run('ls -1A; ls attachments 2>/dev/null; find / -name "*.csv" -not -path "/proc/*" 2>/dev/null; true'),
    ],
    'make a trap': [run('rm -rf attachments && ln -s /tmp attachments')],
    'fill it': [run('truncate -s 3M big.bin && dd if=/dev/zero of=big.bin bs=1M count=3 2>/dev/null; rm -f none')],
  };
  beforeAll(async () => {
    const simulator = await createSimulator();
    close = () => simulator.close();
    const port = await freePort();
    const models = createPlayedModels(
      ['workspace'],
      PARTS,
      (messages) => void read.push(...messages.map(({ text }) => text)),
    );
    stack = await openStack({
      jobs: true,
      pools: ['agents'],
      wiring: { models: () => Promise.resolve(models) },
      env: {
        ...sandbox?.settings,
        GATEWAY_CHANNELS: 'telegram,web,whatsapp',
        GATEWAY_HTTP_PORT: String(port),
        WORKSPACE_LIMIT_MB: '4',
        ...whatsAppVariables(simulator),
      },
    });
    ada = await stack.person(1001, 'developer');
    await stack.person(1002, 'developer');
    people = createSimulatorClient(simulator.url);
    await people.subscribe(`http://127.0.0.1:${port}/webhook/whatsapp`);
  }, 60_000);
  afterAll(async () => {
    await stack.close();
    await close();
  });

  const count = async (what: string): Promise<number> =>
    (await stack.pool.query<{ n: number }>(`select count(*)::int as n from ${what}`)).rows[0]?.n ?? 0;

  it('are answered by a command over the file in Telegram, without a tap', async () => {
    await sendFiles(stack, {
      text: 'how many orders are in this?',
      files: [{ name: 'orders.csv', data: encode(CSV) }],
    });
    expect(await ada.waitFor(/total/)).toContain('total 385');
    expect(read.join('\n')).toMatch(/\[attached: orders\.csv, [^\]]*59 B; kept as attachments\/orders\.csv\]/);
    expect(await count('approvals')).toBe(0);
  });

  it('are answered by a command over the file in WhatsApp, without a tap', async () => {
    const phone = await speakInWhatsApp(people, stack.pool, { number: '12025550102', person: '1002' });
    const file = { kind: 'document', mimeType: 'text/csv', name: 'orders.csv' } as const;
    await people.sendFile('12025550102', { ...file, caption: 'how many orders are in this?', bytes: Buffer.from(CSV) });
    const heard = await eventually(
      () => phone.heard(),
      (texts) => texts.some((text) => text.includes('total')),
    );
    expect(heard.join()).toContain('total 385');
    expect(await count('approvals')).toBe(0);
  });

  it('never meet in the folder of another conversation', async () => {
    const eve = await stack.person(1005, 'developer');
    const said = (await eve.ask('look around for files of others')).join();
    expect(said).toContain('"exitCode":0');
    expect(said).not.toMatch(/orders\.csv/);
    await ada.ask('/new');
    expect((await ada.ask('look around again')).join()).not.toMatch(/orders\.csv/);
  });

  it('keep both of two files with one name, and know the same file again', async () => {
    await ada.ask('/new');
    for (const [place, text] of ['one', 'two', 'one'].entries()) {
      await sendFiles(stack, { files: [{ name: 'notes.txt', data: encode(text) }] });
      await eventually(
        () => ada.heard(),
        (heard) => heard.filter((one) => one.text.startsWith('I got the file: attachments/notes')).length > place,
      );
    }
    expect((await ada.ask('which files are there?')).join()).toMatch(/notes-2\.txt\\nnotes\.txt\\ntwoone/);
  });

  it.each([
    ['../../../etc/cron.d/x', 'x'],
    ['-rf', 'rf'],
    ['$(touch pwned).csv', 'touch_pwned.csv'],
    [`${'long'.repeat(60)}.csv`, `${'long'.repeat(27)}.csv`],
    ['.git/config', 'config'],
  ])('get a plain name: %s', async (name, plain) => {
    await sendFiles(stack, { files: [{ name, data }] });
    expect(await ada.waitFor(new RegExp(`^I got the file: attachments/${plain.replaceAll('.', '\\.')}`))).toBeTruthy();
  });

  it('say that a file is gone, and the words are answered', async () => {
    const fault = { method: 'getFile', error: { code: 400, description: 'Bad Request: wrong file_id' } };
    await fetch(`${stack.simulatorUrl}/api/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    await sendFiles(stack, { text: 'which files are there?', files: [{ name: 'late.csv', data: encode(CSV) }] });
    expect(await ada.waitFor(/could not keep late\.csv/)).toContain('the channel does not have it any more');
    expect(read.join('\n')).toMatch(/\[attached: late\.csv, [^\]]*; not kept: the channel does not have it any more\]/);
  });

  it('say that the folder is full, and that it refuses files', async () => {
    await ada.ask('fill it to the brim');
    const big = Buffer.alloc(2_000_000, 'x').toString('base64');
    await sendFiles(stack, { files: [{ name: 'big.txt', data: big }] });
    expect(await ada.waitFor(/could not keep big\.txt/)).toContain('the folder of this conversation is full');
    await ada.ask('make a trap of the folder');
    await sendFiles(stack, { files: [{ name: 'trapped.txt', data }] });
    expect(await ada.waitFor(/could not keep trapped\.txt/)).toContain('refuses it');
  });
});
