import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../support/stack.ts';
import type { Person } from '../support/person.ts';
import { likeness, locateSpeech } from '../support/speech.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../support/transcription-server.ts';
import { eventually } from '../support/until.ts';

const speech = await locateSpeech('voice notes with real speech');

/** How much of a sentence the recognizer has to hear. It hears all of those here on most machines. */
const ENOUGH = 0.6;

/** Speech of a synthesizer, as Opus through the simulated Telegram, heard by a recognizer with its whole vocabulary. */
describe.runIf(speech !== null)('the transcripts of voice notes', () => {
  let stack: Stack;
  let recognizer: TranscriptionServer;
  let ada: Person;
  beforeAll(async () => {
    if (speech === null) return;
    recognizer = await startTranscriptionServer(speech.recognize);
    stack = await openStack({ env: { TRANSCRIPTION_URL: recognizer.url, TRANSCRIPTION_MODEL: 'pocketsphinx' } });
    ada = await stack.person(1001, 'admin');
    await ada.ask('create a project called shop for the web shop');
  });
  afterAll(async () => {
    await stack?.close();
    await recognizer?.close();
  });

  const post = async (path: string, body: object): Promise<{ readonly messageId: number }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${stack.simulatorUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { messageId: number }; // as the simulator documents it
    expect(answer).toMatchObject({ ok: true });
    return answer;
  };
  const send = async (recording: Buffer | undefined, text = ''): Promise<void> => {
    const files = [{ kind: 'voice', data: recording?.toString('base64'), durationSeconds: 2 }];
    await post('/api/messages', { from: 1001, text, files });
  };
  const count = async (what: string): Promise<number> =>
    (await stack.pool.query<{ n: number }>(`select count(*)::int as n from ${what}`)).rows[0]?.n ?? 0;
  /** Says something, and answers what was heard once the question about it is there. */
  const ask = async (words: string): Promise<string> => {
    const questions = async (): Promise<readonly string[]> =>
      (await ada.heard()).flatMap(({ text, buttons }) => (buttons && text.startsWith('I heard:') ? [text] : []));
    const before = (await questions()).length;
    await send(await speech?.speak(words));
    return heardIn((await eventually(questions, (all) => all.length > before)).at(-1) ?? '');
  };

  it('are shown and do nothing until their sender says yes, and are then treated as typed', async () => {
    const said = 'list the projects';
    const turns = await count('turns');
    const heard = await ask(said);
    expect(likeness(said, heard)).toBeGreaterThanOrEqual(ENOUGH);
    expect(await count('turns')).toBe(turns);
    expect((await ada.clickAndWait('Yes, do that')).join('\n')).toContain('shop');
    expect(await count('turns')).toBe(turns + 1);
    const { rows } = await stack.pool.query(
      `select envelope ->> 'text' as text, envelope -> 'button' as button, outcome, typed_by_hand(envelope) as own
         from inbox where envelope ? 'spoken'`,
    );
    expect(rows).toEqual([{ text: heard, button: null, outcome: 'answered', own: true }]);
    expect(recognizer.asked()).toMatchObject([{ path: '/v1/audio/transcriptions', model: 'pocketsphinx' }]);
  });

  it('are forgotten when their sender says no', async () => {
    const turns = await count('turns');
    await ask('list the servers');
    expect((await ada.clickAndWait('No')).join('\n')).toContain('I did nothing with it. Say it again, or write it.');
    expect(await count('turns')).toBe(turns);
    expect(await count(`voice_notes where transcript is not null`)).toBe(0);
  });

  it('confirm no action when they are a “yes”, because only a button confirms', async () => {
    const { messageId } = await post('/api/messages', {
      from: 1002,
      chat: 'ops',
      text: 'create a project called blog for articles about tea',
    });
    await post('/api/forwards', { from: 1001, chat: 'ops', messageId, to: 1001 });
    await ada.waitFor(/Please confirm/);
    const heard = await ask('yes');
    expect(likeness('yes', heard)).toBeGreaterThanOrEqual(ENOUGH);
    await ada.clickAndWait('Yes, do that');
    expect(await count(`projects where name = 'blog'`)).toBe(0);
    await ada.click('Confirm');
    await ada.waitFor(/created the project.*blog/i);
    expect(await count(`projects where name = 'blog'`)).toBe(1);
  });

  it('are not made for notes with a caption, which are treated as files', async () => {
    const asked = recognizer.asked().length;
    const turns = await count('turns');
    await send(await speech?.speak('list the servers'), 'list the projects');
    await eventually(
      () => count('turns'),
      (n) => n > turns,
    );
    expect(recognizer.asked()).toHaveLength(asked);
  });

  it('without a word lead to an answer that nothing was understood', async () => {
    await send(await speech?.silence(2));
    expect(await ada.waitFor(/no words/)).toBe(
      'I heard no words in that voice note. Please say it again, or write it.',
    );
  });
});

/** What stands between our lines of a question. */
function heardIn(question: string): string {
  return /^I heard:\s+(.*?)\s+Is that right/s.exec(question)?.[1] ?? '';
}
