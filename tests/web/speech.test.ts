import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIdentityCode } from '@signalbox/store/people/identities';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { locateSpeech } from '../support/speech.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { TestPage } from './page.ts';
import { cookieOf, postSession } from './requests.ts';

const KEY = 'sk-speech-0815';
const speech = await locateSpeech('answers that are read aloud');

/** What the server does with the next request. */
type Turn = 'speak' | 'refuse' | 'page' | 'hang';

/** The web page in voice mode, with Debian's espeak-ng behind a server that speaks as OpenAI does. */
describe.runIf(speech !== null)('an answer in voice mode', () => {
  let stack: Stack;
  let url: string;
  let next = 2800;
  let turn: Turn = 'speak';
  const asked: { readonly path: string; readonly authorization: string | undefined; readonly body: unknown }[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)); // an IncomingMessage yields buffers
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: string; readonly voice: string }; // as OpenAI documents it
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    if (turn === 'hang') return;
    if (turn === 'refuse') return void response.writeHead(500).end('{}');
    if (turn === 'page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>');
    const wave = await speech?.synthesize(body.input, body.voice.replace('espeak-', ''));
    response.writeHead(200, { 'content-type': 'audio/wav' }).end(wave);
  };
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: speechPort } = server.address() as AddressInfo; // it listens on TCP
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    stack = await openStack({
      env: {
        GATEWAY_CHANNELS: 'telegram,web',
        GATEWAY_HTTP_PORT: String(port),
        SPEECH_URL: `http://127.0.0.1:${speechPort}/v1/`,
        SPEECH_VOICE: 'espeak-{language}',
        SPEECH_API_KEY: KEY,
        SPEECH_TIMEOUT_MS: '2000',
      },
    });
  });
  afterAll(async () => {
    await stack?.close();
    server.closeAllConnections();
    server.close();
  });

  /** The page of somebody new, in voice mode, who has asked for the commands. */
  const ask = async (doing: Turn): Promise<TestPage> => {
    turn = doing;
    const id = (next += 1);
    await stack.person(id, 'developer');
    const cookie = cookieOf(await postSession(url, { code: await createIdentityCode(stack.pool, String(id)) }));
    const page = await new TestPage({ url, cookie, mode: 'voice' }).opened();
    page.say('/whoami');
    return page;
  };
  const framesOf = (page: TestPage, type: string) => page.frames.filter((frame) => frame.type === type);

  it('is sent as the audio that the server made, and its words are not said twice', async () => {
    const page = await ask('speak');
    const frame = await until(() => framesOf(page, 'server.voice.audio')[0]);
    expect(frame.payload).toMatchObject({ mimeType: 'audio/wav' });
    const wave = Buffer.from('data' in frame.payload ? frame.payload.data : '', 'base64');
    expect(wave.subarray(0, 4).toString()).toBe('RIFF');
    expect(wave.length).toBeGreaterThan(20_000); // about half a second
    expect(asked.at(-1)).toMatchObject({
      path: '/v1/audio/speech',
      authorization: `Bearer ${KEY}`,
      body: { model: 'tts-1', voice: 'espeak-en', response_format: 'mp3', input: expect.stringContaining('developer') },
    });
    expect(framesOf(page, 'server.voice.say')).toEqual([]);
    page.socket.terminate();
  });

  it.each(['refuse', 'page', 'hang'] as const)('is read by the browser when the server does not: %s', async (doing) => {
    const page = await ask(doing);
    await until(() => framesOf(page, 'server.voice.say').length > 0);
    expect(framesOf(page, 'server.voice.audio')).toEqual([]);
    page.socket.terminate();
  });

  it('is written before the server has answered', async () => {
    const page = await ask('hang');
    await until(() => page.find('developer'));
    expect(framesOf(page, 'server.voice.say')).toEqual([]);
    page.socket.terminate();
  });
});
