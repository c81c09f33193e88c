import { PassThrough } from 'node:stream';
import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import { createLog } from '@signalbox/platform/log';
import { createSimulator, DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { describeChannel } from '../contracts/channels.ts';
import { createLines } from '../examples/lines.ts';

describeChannel('telegram', async () => {
  const simulator = await createSimulator();
  const people = createSimulatorClient(simulator.url);
  const log = createLog('test', 'silent');
  return {
    channel: createTelegram({
      token: DEFAULT_TOKEN,
      apiRoot: simulator.url,
      log,
      webhook: null,
      loadFile: async () => null,
    }),
    userKey: '1001',
    chatKey: 'telegram:1001',
    say: async (text) => void (await people.say(1001, text)),
    seen: async () => (await people.messages(1001)).filter(({ from }) => from.isBot).map(({ text }) => text),
    close: () => simulator.close(),
  };
});

describeChannel('lines', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const shown: string[] = [];
  output.on('data', (piece: Buffer) => shown.push(piece.toString()));
  return {
    channel: createLines(input, output),
    userKey: '1',
    chatKey: 'lines:1',
    say: async (text) => void input.write(`${text}\n`),
    seen: async () => shown,
    close: async () => void input.end(),
  };
});
