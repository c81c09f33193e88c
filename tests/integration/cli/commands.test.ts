import type { ModelScript } from '../../support/scripted-model.ts';
import { redeemOwnerCode } from '@signalbox/store/people/owner-code';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import pg from 'pg';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';
import { openTerminal, type Written } from './terminal.ts';

const ask: ModelScript = (_, tools) =>
  tools.some((tool) => tool.name === 'classify_intent')
    ? { toolCalls: [{ name: 'classify_intent', args: { task_summary: 'ports', capabilities: [], project: null } }] }
    : { toolCalls: [{ name: 'respond_to_user', args: { message: 'Which project?', awaiting_response: true } }] };

describe('signalbox', () => {
  let bench: WorkerBench;
  let signalbox: (...words: readonly string[]) => Promise<Written>;

  beforeEach(async () => {
    bench = await openWorkerBench();
    signalbox = openTerminal({
      DATABASE_URL: bench.databaseUrl,
      REDIS_URL: inject('redisUrl'),
      REDIS_PREFIX: bench.prefix,
    });
  });
  afterEach(() => bench.close());

  it('status counts the waiting messages of everybody and of one person', async () => {
    await bench.addPerson('7', 'developer');
    await bench.say('7', 'one', { silent: true });
    await bench.say('7', 'two', { silent: true });
    await bench.say('8', 'three', { silent: true });
    await bench.pool.query(
      `update lanes set worker = 'w1', lease_until = now() + interval '1 minute' where user_key = '7'`,
    );
    const { json, code } = await signalbox('status', '--json');
    expect(code).toBe(0);
    expect(json).toMatchObject({ peopleActive: 2, messagesOpen: 3, outboxPending: 0, deadLetters: 0 });
    expect(json).toMatchObject({ turns: [{ userKey: '7', name: 'P7', worker: 'w1', waiting: 2 }] });
    const one = await signalbox('status', '--person', '8', '--json');
    expect(one.json).toMatchObject({ peopleActive: 1, messagesOpen: 1, turns: [] });
    expect((await signalbox('status')).out).toMatch(/turns running +1 +[\d.]+ s/);
  });

  it('status does not count a turn as running when its worker died', async () => {
    await bench.say('7', 'one', { silent: true });
    await bench.pool.query(`update lanes set worker = 'w1', lease_until = now() - interval '1 second'`);
    expect((await signalbox('status', '--json')).json).toMatchObject({ turns: [], messagesOpen: 1 });
  });

  it('threads show prints messages, actions and answers', async () => {
    await bench.addPerson('7', 'developer');
    await bench.startWorker({ script: ask });
    await bench.say('7', 'I need a port');
    await eventually(
      () => bench.outcomes('7'),
      (all) => all[0] === 'answered',
    );
    const list = await signalbox('threads', 'list', '--person', '7');
    expect(list.out).toContain('open, waits for an answer');
    const { json, code } = await signalbox('threads', 'show', 'user_7_1', '--json');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      threadId: 'user_7_1',
      awaiting: true,
      turns: [{ outcome: 'waiting', messages: ['I need a port'] }],
      actions: [],
      replies: [{ text: 'Which project?', status: 'pending' }],
    });
    expect((await signalbox('threads', 'show', 'user_7_1')).out).toContain('Which project?');
    expect((await signalbox('threads', 'show', 'user_7_2')).error).toContain('no thread named user_7_2');
  });

  it('people are let in, change their role and are removed', async () => {
    expect((await signalbox('people', 'list')).out).toBe('Nobody may speak yet.\n');
    expect((await signalbox('people', 'add', '1001', 'Ada', 'Lovelace', 'admin')).code).toBe(0);
    await signalbox('people', 'add', 'whatsapp-4917012', 'Ben', 'viewer');
    expect((await signalbox('people', 'list', '--json')).json).toEqual([
      { userKey: '1001', channel: 'telegram', name: 'Ada Lovelace', role: 'admin' },
      { userKey: 'whatsapp-4917012', channel: 'whatsapp', name: 'Ben', role: 'viewer' },
    ]);
    await signalbox('people', 'add', '1002', 'Cleo', 'admin');
    await signalbox('people', 'add', '1001', 'Ada', 'operator');
    expect((await signalbox('people', 'list')).out).toMatch(/1001 +Ada +operator/);
    expect((await signalbox('people', 'remove', '1001')).out).toMatch(/no longer has a role here/);
    expect((await signalbox('people', 'remove', '1001')).out).toMatch(/nothing was changed/);
  });

  it('the only admin can be removed or demoted only with a flag', async () => {
    await signalbox('people', 'add', '1001', 'Ada', 'admin');
    for (const words of [
      ['people', 'remove', '1001'],
      ['people', 'add', '1001', 'Ada', 'operator'],
    ]) {
      expect(await signalbox(...words)).toMatchObject({ code: 1, out: expect.stringContaining('the only admin') });
    }
    expect((await signalbox('people', 'list')).out).toMatch(/1001 +Ada +admin/);
    expect((await signalbox('people', 'add', '1001', 'Ada', 'operator', '--force')).code).toBe(0);
    expect((await signalbox('people', 'remove', '1001')).out).toMatch(
      /no longer has a role here.*\nThere is no admin now/,
    );
  });

  it.each([
    [['people', 'add', '1001', 'Ada', 'king'], /Roles: viewer, developer, operator, admin/],
    [['people', 'add', '-5', 'Ada', 'admin'], /ERR_|unknown|is no id|option/i],
    [['people', 'add', 'Ada', 'Ada', 'admin'], /'Ada' is no id/],
    [['frobnicate'], /no command 'frobnicate'/],
    [['dlq'], /dlq list/],
    [['status', '--limit', 'many'], /--limit is a whole number/],
    [['status', '--nonsense'], /--nonsense/],
  ])('%j is refused with the command to write instead', async (words, message) => {
    const { code, error } = await signalbox(...words);
    expect(code).toBe(2);
    expect(error).toMatch(message);
  });

  it('an owner code works once, and only while there is no admin', async () => {
    const first = (await signalbox('owner-code', '--json')).json as { code: string };
    const second = (await signalbox('owner-code', '--json')).json as { code: string };
    const person = { userKey: '1001', channel: 'telegram', name: 'Ada' };
    expect(await redeemOwnerCode(bench.pool, first.code, person)).toBe(false);
    expect(await redeemOwnerCode(bench.pool, second.code, person)).toBe(true);
    expect(await signalbox('owner-code', '--json')).toMatchObject({ code: 0, json: { code: null } });
  });

  it('migrate brings an empty database up to date, and a second run changes nothing', async () => {
    const url = new URL(bench.databaseUrl);
    url.pathname = `${url.pathname}_empty`;
    const admin = new pg.Client({ connectionString: inject('databaseUrl') });
    await admin.connect();
    await admin.query(`create database ${url.pathname.slice(1)}`);
    try {
      const empty = openTerminal({ DATABASE_URL: url.href });
      const { json } = await empty('migrate', '--json');
      expect(json).toMatchObject({ applied: expect.arrayContaining(['103_conversation']) });
      expect(await empty('migrate')).toMatchObject({ code: 0, out: 'The database is up to date.\n' });
    } finally {
      await admin.query(`drop database ${url.pathname.slice(1)} with (force)`);
      await admin.end();
    }
  });

  it('reports in one line why a command cannot reach its database', async () => {
    const away = openTerminal({ DATABASE_URL: 'postgres://u:hush@127.0.0.1:9/x' });
    const { code, error } = await away('status');
    expect(code).toBe(1);
    expect(error).toMatch(
      /^Postgres at 127\.0\.0\.1:9 does not answer: .*ECONNREFUSED.* Start it, or correct DATABASE_URL\.\n$/,
    );
    expect(error).not.toContain('hush');
    expect((await away('status', '--json')).json).toMatchObject({ error: { code: 'SERVER_AWAY' } });
  });

  it('--version prints the release and its commit, and needs no configuration', async () => {
    const { code, out } = await openTerminal({})('--version');
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/)]);
  });

  it('help lists every command and needs no configuration', async () => {
    const { code, out } = await openTerminal({})('--help');
    expect(code).toBe(0);
    for (const name of ['doctor', 'status', 'dlq', 'threads', 'people', 'owner-code', 'migrate'])
      expect(out).toContain(name);
  });
});
