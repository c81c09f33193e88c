import { createLog } from '@signalbox/platform/log';
import { createPostbox } from '../../../examples/postbox/channel.ts';
import type { BenchKind } from '../bench.ts';
import { PERSON, startPostbox, TOKEN } from './postbox-platform.ts';

/** Postbox, played by `postbox-platform.ts`. What a channel comes to have leaves `lacks`, and its hooks are added. */
export default {
  channel: 'postbox',
  lacks: {
    repeats: 'what a request has acknowledged never comes again',
    'removal of buttons': 'Postbox has no call for it; a message is changed instead',
    'files of people': 'Postbox carries no files',
    'files for people': 'Postbox carries no files',
    links: 'Postbox has no addresses for chats',
  },
  open: async () => {
    const platform = await startPostbox();
    const openChannel = () =>
      createPostbox({ url: platform.url, token: TOKEN, account: 'signalbox', log: createLog('test', 'silent') });
    let [lastMessage, lastPress] = ['', ''];
    const failNext = async (status: number, body: object): Promise<void> => {
      platform.nextSend = { status, body: JSON.stringify(body) };
    };
    return {
      channel: openChannel(),
      reopen: async () => openChannel(),
      userKey: `postbox-${PERSON}`,
      chatKey: `postbox:${PERSON}`,
      say: async (text) => {
        lastMessage = `m${platform.add({ kind: 'message', text })}`;
      },
      seen: async () => platform.shown.map(({ text }) => text),
      edit: async (text) => void platform.add({ kind: 'edit', messageId: lastMessage, text }),
      press: async (label) => {
        const found = platform.shown.flatMap(({ id, buttons }) => buttons.map((button) => ({ id, ...button })));
        const [button, ...others] = found.filter((one) => one.label === label);
        if (!button || others.length > 0) throw new Error(`not one button says ${label}`);
        lastPress = `p${platform.shown.length}${label}`;
        platform.add({ kind: 'press', messageId: button.id, press: { id: lastPress, data: button.data } });
      },
      isAnswered: async () => platform.answered.includes(lastPress),
      block: async () => {
        platform.isBlocked = true;
      },
      makeWait: (ms) => failNext(429, { retryAfter: ms / 1_000 }),
      move: async () => {
        await failNext(410, { chat: 'elsewhere' });
        return 'postbox:elsewhere';
      },
      loseAnswer: async () => {
        platform.nextSend = 'lost';
      },
      breakDown: () => failNext(500, { reason: 'out of order' }),
      refuse: () => failNext(400, { reason: 'not like this' }),
      answerNonsense: async () => {
        platform.nextSend = { status: 200, body: '<html>Welcome to the network of this hotel</html>' };
      },
      disconnect: platform.close,
      close: platform.close,
    };
  },
} satisfies BenchKind;
