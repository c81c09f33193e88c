import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { until } from '../support/until.ts';
import { openPlayedGateway, type PlayedGateway } from './web-gateway.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');

/** What stands in for the speech of a browser: the test plays who speaks and who hears. */
interface PlayedSpeech {
  hear(words: string): void;
  end(): void;
  readonly said: { readonly text: string; readonly lang: string }[];
  cancelled: number;
}
declare global {
  interface Window {
    playedSpeech: PlayedSpeech;
  }
}

/** Runs in the page: Chromium without a window has no recognizer, and no voices. */
function playSpeech(): void {
  const played: PlayedSpeech & { current: Recognition | null } = {
    current: null,
    said: [],
    cancelled: 0,
    hear: (words) => played.current?.onresult?.({ results: [[{ transcript: words }]] }),
    end: () => played.current?.onend?.(),
  };
  class Recognition {
    lang = '';
    interimResults = false;
    onresult: ((event: object) => void) | null = null;
    onend: (() => void) | null = null;
    start(): void {
      played.current = this;
    }
    abort(): void {
      played.current = null;
    }
  }
  const speechSynthesis = {
    speak: ({ text, lang }: SpeechSynthesisUtterance) => played.said.push({ text, lang }),
    cancel: () => (played.cancelled += 1),
  };
  for (const [name, value] of Object.entries({ playedSpeech: played, SpeechRecognition: Recognition, speechSynthesis }))
    Object.defineProperty(window, name, { value });
}

function takeSpeechAway(): void {
  for (const name of ['SpeechRecognition', 'webkitSpeechRecognition', 'speechSynthesis'])
    delete (window as unknown as Record<string, unknown>)[name]; // a browser that never had it
}

describe.skipIf(executablePath === null)('voice on the web page', () => {
  let scene: WebScene;
  let gateway: PlayedGateway;
  let page: Page;
  beforeAll(async () => {
    scene = await openWebScene(executablePath);
  });
  beforeEach(async () => {
    gateway = await openPlayedGateway();
    gateway.person = { name: 'Ada', role: 'admin' };
  });
  afterEach(async () => {
    await scene.leave();
    await gateway.close();
  });
  afterAll(() => scene?.close());

  const open = async (prepare: () => void): Promise<void> => {
    page = await scene.look(gateway.url, { prepare });
    await page.getByText('Connected').waitFor();
  };
  const said = (): Promise<PlayedSpeech['said']> => page.evaluate(() => window.playedSpeech.said);

  it('is not offered where the browser has no speech support', async () => {
    await open(takeSpeechAway);
    expect(await page.getByRole('button', { name: 'Speak' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Read answers aloud' }).count()).toBe(0);
  });

  it('sends spoken words only after the person has seen them', async () => {
    await open(playSpeech);
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByText('Listening…').waitFor();
    await until(() => gateway.modes.length === 1);
    expect(gateway.modes).toEqual([{ mode: 'voice', device: 'desktop' }]);
    await page.evaluate(() => window.playedSpeech.hear('restart the'));
    await page.evaluate(() => window.playedSpeech.hear('restart the shop'));
    await page.evaluate(() => window.playedSpeech.end());
    await page.getByText('Check the words, then send them.').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('restart the shop');
    expect(gateway.messages).toHaveLength(0);
    await page.getByRole('button', { name: 'Send' }).click();
    await until(() => gateway.messages.length === 1);
    expect(gateway.messages[0]).toMatchObject({ text: 'restart the shop', voice: true });
    await page.getByLabel('Message').fill('typed');
    await page.keyboard.press('Enter');
    await until(() => gateway.messages.length === 2);
    expect(gateway.messages[1]).toMatchObject({ text: 'typed', voice: false });
  });

  it('sends a voice setting that was changed offline once, on the next connection', async () => {
    await open(playSpeech);
    // A refused socket would be open for a moment, and could lose the setting.
    await page.context().setOffline(true);
    gateway.drop();
    await page.getByText('You are offline.').waitFor();
    await page.getByRole('button', { name: 'Read answers aloud' }).click();
    await page.context().setOffline(false);
    await until(() => gateway.modes.length === 1, 20_000);
    expect(gateway.modes).toEqual([{ mode: 'voice', device: 'desktop' }]);
    const before = gateway.opened.length;
    gateway.drop();
    await until(() => gateway.opened.length > before, 20_000);
    await page.getByText('Connected').waitFor();
    await page.getByLabel('Message').fill('after it');
    await page.keyboard.press('Enter');
    await until(() => gateway.messages.length === 1);
    expect(gateway.modes).toHaveLength(1);
  });

  it('reports that no words were recognized in a recording', async () => {
    await open(playSpeech);
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByText('Listening…').waitFor();
    await page.evaluate(() => window.playedSpeech.end());
    await page.getByText('Nothing was heard.').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('');
  });

  it('reads answers aloud in their language while voice is on, and is silent otherwise', async () => {
    await open(playSpeech);
    gateway.tell({ type: 'server.voice.say', payload: { text: 'unheard', language: null } });
    // The page has read both frames, in this order, before the voice is on.
    gateway.put({ id: '1', type: 'Text', props: { text: 'after it' } });
    await page.getByText('after it').waitFor();
    await page.getByRole('button', { name: 'Read answers aloud' }).click();
    await until(() => gateway.modes.length === 1);
    gateway.tell({ type: 'server.voice.start', payload: {} });
    gateway.tell({ type: 'server.voice.say', payload: { text: 'Alles läuft.', language: 'de' } });
    await until(async () => (await said()).length === 1);
    expect(await said()).toEqual([{ text: 'Alles läuft.', lang: 'de' }]);
    // Nothing listens that the person has not asked to.
    expect(await page.getByText('Listening…').count()).toBe(0);
    const before = await page.evaluate(() => window.playedSpeech.cancelled);
    gateway.tell({ type: 'server.voice.stop', payload: {} });
    await until(async () => (await page.evaluate(() => window.playedSpeech.cancelled)) > before);
    await page.getByRole('button', { name: 'Read answers aloud' }).click();
    await until(() => gateway.modes.length === 2);
    expect(gateway.modes[1]?.mode).toBe('text');
  });
});
