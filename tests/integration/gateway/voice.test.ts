import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, until } from '../../support/until.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../../support/transcription-server.ts';
import { openHarness, PEOPLE, type Harness, type StartedGateway } from './harness.ts';

/*
 * What the gateway does around a recognizer, whatever that one hears: here it writes down the bytes that it was given, as if somebody
 * had spoken them. Real speech and a real recognizer are in tests/e2e/voice.test.ts.
 */
const KEY = 'sk-voice-4711';
const ADA = Number(PEOPLE.admin);

describe('a voice note at the gateway', () => {
  let harness: Harness;
  let server: TranscriptionServer;
  let gateway: StartedGateway;
  beforeAll(async () => {
    harness = await openHarness();
    server = await startTranscriptionServer(async (bytes) => Buffer.from(bytes).toString());
    gateway = await harness.startGateway({
      TRANSCRIPTION_URL: server.url,
      TRANSCRIPTION_API_KEY: KEY,
      TRANSCRIPTION_TIMEOUT_MS: '1500',
      TRANSCRIPTION_LIMIT_BYTES: '1000',
    });
    await harness.meet(ADA);
  });
  afterAll(async () => {
    await harness.close();
    await server.close();
  });
  beforeEach(async () => {
    await until(async () => (await open()) === 0);
  });

  const open = async (): Promise<number> =>
    (await harness.rows<{ n: number }>(`select count(*)::int as n from voice_notes where status = 'waiting'`))[0]?.n ??
    0;
  const states = async (): Promise<readonly string[]> =>
    (await harness.rows<{ status: string }>('select status from voice_notes order by inbox_id')).map(
      ({ status }) => status,
    );
  const speak = async (words: string, file: object = {}): Promise<void> => {
    const data = Buffer.from(words).toString('base64');
    const answer = await harness.people.post('/api/messages', {
      from: ADA,
      text: '',
      files: [{ kind: 'voice', data, durationSeconds: 1, ...file }],
    });
    expect(answer.ok).toBe(true);
  };
  /** The next thing that the bot says after this. */
  const hears = async (act: () => Promise<unknown>): Promise<string> => {
    const before = (await harness.said(ADA)).length;
    await act();
    return (
      (
        await eventually(
          () => harness.said(ADA),
          (said) => said.length > before,
        )
      ).at(-1) ?? ''
    );
  };
  const press = (button: string) => harness.people.post('/api/clicks', { from: ADA, button });
  const spoken = () =>
    harness.rows<{ text: string; borrowed: string | null; outcome: string | null }>(
      `select envelope ->> 'text' as text, envelope ->> 'borrowed' as borrowed, outcome from inbox where envelope ? 'spoken' order by id`,
    );

  it("is sent to the recognizer with the key, the model and the person's language", async () => {
    await harness.pool.query(`update users set language = 'de' where user_key = $1`, [PEOPLE.admin]);
    const question = await hears(() => speak('zeig die Projekte'));
    expect(question).toMatch(/^Ich habe verstanden:\s+zeig die Projekte\s+Stimmt das/);
    expect(server.asked().at(-1)).toEqual({
      path: '/v1/audio/transcriptions',
      authorization: `Bearer ${KEY}`,
      model: 'whisper-1',
      language: 'de',
      fileName: 'voice.ogg',
      sizeBytes: 17,
    });
    await harness.pool.query(`update users set language = 'en' where user_key = $1`, [PEOPLE.admin]);
    await hears(() => press('Nein'));
  });

  it('is answered with the recognized words, without invisible characters', async () => {
    const question = await hears(() => speak('list\u202e the\u0007 \u2066projects\u2069\n**now** <b>`x`'));
    expect(question).toContain('list the projects **now** <b>`x`');
    await press('Yes, do that');
    await until(async () => (await spoken()).length === 1);
    expect(await spoken()).toEqual([{ text: 'list the projects **now** <b>`x`', borrowed: null, outcome: null }]);
  });

  it('is confirmed by the first press of its sender, and by no other press', async () => {
    const before = (await spoken()).length;
    const asked = (await harness.said(ADA)).length;
    await speak('list the servers');
    await until(async () => (await harness.said(ADA)).length > asked);
    const [row] = await harness.rows<{ id: string }>(
      `select id from outbox where key like 'voice:%' order by id desc limit 1`,
    );
    await Promise.all([press('Yes, do that'), press('Yes, do that')]);
    await until(async () => (await spoken()).length > before);
    await harness.people.post('/api/clicks', { from: Number(PEOPLE.viewer), button: 'Yes, do that' });
    expect((await spoken()).slice(before)).toHaveLength(1);
    expect(await harness.rows(`select pressed_by from outbox where id = $1`, [row?.id])).toEqual([
      { pressed_by: PEOPLE.admin },
    ]);
  });

  it('is withdrawn when the person writes instead of confirming it, and a later “yes” does nothing', async () => {
    const before = (await spoken()).length;
    await hears(() => speak('delete everything'));
    const { messageId } = (await harness.people.messages(ADA)).at(-1) ?? { messageId: 0 };
    await harness.people.say(ADA, 'rather not');
    await until(async () => (await states()).at(-1) === 'void');
    await until(async () =>
      (await harness.people.messages(ADA)).some(
        (one) =>
          one.messageId === messageId && one.buttons === null && one.text.includes('you have written something since'),
      ),
    );
    expect((await spoken()).length).toBe(before);
    expect(await harness.rows(`select 1 from voice_notes where transcript is not null`)).toEqual([]);
  });

  it('leaves a spoken secret in no table, prompt or log, and only its handle is shown', async () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const before = (await harness.said(ADA)).length;
    await speak(`the token is ${secret} please`);
    await until(async () => (await harness.said(ADA)).length >= before + 2);
    const said = (await harness.said(ADA)).slice(before).join('\n');
    expect(said).toContain('secret:');
    expect(said).not.toContain(secret);
    await press('Yes, do that');
    await until(async () => (await spoken()).at(-1)?.text.includes('secret:') ?? false);
    for (const table of ['inbox', 'outbox', 'voice_notes', 'secrets', 'audit_events', 'dead_letters'])
      expect(JSON.stringify(await harness.rows(`select * from ${table}`))).not.toContain(secret);
    expect(JSON.stringify(gateway.lines)).not.toContain(secret);
    expect(JSON.stringify(gateway.lines)).not.toContain('the token is');
  });

  it.each([
    ['away', { status: 503 }, 2, /cannot be reached right now/],
    ['away for its rate limit', { status: 429 }, 2, /cannot be reached right now/],
    ['set up with a wrong key', { status: 401 }, 1, /an administrator has to check its settings/],
    ['silent', 'hang' as const, 1, /took too long/],
    ['broken off', 'cut' as const, 1, /an unreadable answer/],
    ['answering with a page', { body: '<html>' }, 1, /an unreadable answer/],
    ['answering without a text', { body: '{"words":[]}' }, 1, /an unreadable answer/],
    ['answering without end', { body: `{"text":"${'a '.repeat(300_000)}"}` }, 1, /an unreadable answer/],
    ['not able to read it', { status: 400 }, 1, /could not read that recording/],
    ['of the opinion that it is too large', { status: 413 }, 1, /too large/],
    ['hearing more than a message holds', { body: JSON.stringify({ text: 'word '.repeat(4_000) }) }, 1, /more words/],
    ['hearing music', { body: '{"text":" [MUSIC] (applause) "}' }, 1, /no words/],
  ])(
    'is answered once when the recognizer is %s, and is not sent again needlessly',
    async (_, fault, tries, sentence) => {
      server.plan(...Array.from({ length: tries }, () => fault));
      const asked = server.asked().length;
      expect(await hears(() => speak('list the projects'))).toMatch(sentence);
      expect(server.asked().length - asked).toBe(tries);
      expect((await states()).at(-1)).toBe('failed');
      expect(JSON.stringify(gateway.lines)).not.toContain(KEY);
    },
  );

  it('is refused before the download when it is too large', async () => {
    const asked = server.asked().length;
    const notes = (await states()).length;
    expect(await hears(() => speak('x'.repeat(1_001)))).toContain('too large');
    expect((await states()).length).toBe(notes);
    expect(server.asked().length).toBe(asked);
  });

  it.each([
    ['does not have it any more', 404, /cannot be fetched any more/],
    ['is down', 502, /could not fetch your voice note/],
  ])('is answered with an explanation when Telegram %s', async (_, code, sentence) => {
    await harness.fault({ method: 'downloadFile', error: { code, description: 'as planned' } });
    const asked = server.asked().length;
    expect(await hears(() => speak('list the projects'))).toMatch(sentence);
    expect(server.asked().length).toBe(asked);
  });

  it('from a stranger is not transcribed', async () => {
    const asked = server.asked().length;
    const data = Buffer.from('hello').toString('base64');
    await harness.people.post('/api/messages', {
      from: Number(PEOPLE.stranger),
      text: '',
      files: [{ kind: 'voice', data, durationSeconds: 1 }],
    });
    await until(async () => (await harness.said(Number(PEOPLE.stranger))).length > 0);
    expect(server.asked().length).toBe(asked);
  });

  it('is transcribed by the next gateway, once, when the first gateway stops', async () => {
    await gateway.close();
    gateway = await harness.startGateway({ TRANSCRIPTION_URL: server.url });
    server.plan('hang');
    const asked = server.asked().length;
    const before = (await harness.said(ADA)).length;
    await speak('list the projects');
    await until(async () => server.asked().length > asked);
    await gateway.close();
    gateway = await harness.startGateway({ TRANSCRIPTION_URL: server.url });
    await until(async () => (await harness.said(ADA)).length > before);
    expect((await harness.said(ADA)).slice(before)).toEqual([expect.stringMatching(/^I heard:\s+list the projects/)]);
    expect(server.asked().length - asked).toBe(2);
  });

  it('is transcribed once, however many gateways there are', async () => {
    const other = await harness.startGateway({ TRANSCRIPTION_URL: server.url });
    const asked = server.asked().length;
    const before = (await harness.said(ADA)).length;
    const words = Array.from({ length: 8 }, (_, n) => `list the projects of group ${n}`);
    for (const one of words) await speak(one);
    await until(async () => (await harness.said(ADA)).length >= before + words.length);
    await other.close();
    const said = (await harness.said(ADA)).slice(before).map((text) => /group \d/.exec(text)?.[0]);
    expect(new Set(said)).toEqual(new Set(words.map((one) => one.slice(-7))));
    expect(said).toHaveLength(words.length);
    expect(server.asked().length - asked).toBe(words.length);
  });

  it('is given up with an answer when several gateways in a row die while transcribing it', async () => {
    const said = await hears(async () => {
      server.plan('hang');
      const asked = server.asked().length;
      await speak('list the projects');
      await until(async () => server.asked().length > asked);
      // As if four processes had ended over it: the claims ran out.
      await harness.pool.query(
        `update voice_notes set tries = 4, lease_until = now() - interval '1 second' where status = 'waiting'`,
      );
    });
    expect(said).toContain('I tried that voice note several times');
    expect((await states()).at(-1)).toBe('failed');
  });

  it('that a second gateway has taken over gets no answer from the first gateway', async () => {
    const before = (await harness.said(ADA)).length;
    await gateway.close();
    gateway = await harness.startGateway({ TRANSCRIPTION_URL: server.url, TRANSCRIPTION_TIMEOUT_MS: '700' });
    server.plan('hang');
    const asked = server.asked().length;
    await speak('list the projects');
    await until(async () => server.asked().length > asked);
    await harness.pool.query(`update voice_notes set tries = tries + 1 where status = 'waiting'`);
    await until(() => gateway.lines.some(({ message }) => message === 'voice note not heard'));
    await harness.meet(ADA);
    expect((await harness.said(ADA)).slice(before).join('\n')).not.toContain('took too long');
    await harness.pool.query(`update voice_notes set status = 'failed' where status = 'waiting'`);
  });
});

describe('a voice note while transcription is turned off', () => {
  it('waits for a turn like any other file, and is not downloaded', async () => {
    const harness = await openHarness();
    try {
      await harness.startGateway();
      await harness.meet(ADA);
      const data = Buffer.from('hello').toString('base64');
      const files = [{ kind: 'voice', data, durationSeconds: 1 }];
      await harness.people.post('/api/messages', { from: ADA, text: '', files });
      await until(async () => (await harness.rows(`select 1 from inbox where envelope ? 'attachments'`)).length === 1);
      expect(await harness.rows(`select outcome from inbox where envelope ? 'attachments'`)).toEqual([
        { outcome: null },
      ]);
      expect(await harness.rows('select 1 from voice_notes')).toEqual([]);
      expect(await harness.calls('getFile')).toEqual([]);
    } finally {
      await harness.close();
    }
  });
});
