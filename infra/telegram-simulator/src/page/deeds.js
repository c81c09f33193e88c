import { tell } from './attempt.js';
import { copyText } from './bubble-actions.js';
import * as simulator from './simulator.js';
import { measureRecording } from './voice.js';

/**
 * What the person who speaks does with messages and chats. `placeOf` answers where they are now; refusals of the simulator
 * are shown.
 */
export function createDeeds({ placeOf, store }) {
  const ids = () => ({ from: placeOf().person.id, chat: placeOf().chat.id });

  return {
    copy: (message) => copyText(message.text, 'Copied'),
    react: (message, emoji) => tell(() => simulator.react({ ...ids(), messageId: message.messageId, emoji })),
    /** All messages of an album, in their order. */
    forward(message, chat) {
      const from = ids();
      const send = async () => {
        for (const { messageId } of store.albumOf(message)) {
          await simulator.forward({ ...from, messageId, to: chat.id });
        }
      };
      return tell(send, `Forwarded to ${store.titleOf(chat)}`);
    },
    remove: (message) =>
      tell(() => {
        const messageIds = store.albumOf(message).map(({ messageId }) => messageId);
        return simulator.remove({ ...ids(), messageIds });
      }),
    block: (person, blocked) => tell(() => simulator.block(person.id, blocked)),
    setStatus: (status) => tell(() => simulator.setBotStatus(placeOf().person.id, status)),
    openTopic: (name) => tell(() => simulator.openTopic({ from: placeOf().person.id, name })),
    changeTopic: ({ topicId }, change) =>
      tell(() => simulator.changeTopic(topicId, { from: placeOf().person.id, ...change })),
    stop: () => tell(() => simulator.stopDraft(placeOf().person.id)),
  };
}

/** Sends one message of a plan (see planMessages) to a place, as the person who is there. */
export async function sendMessage({ person, chat, topic }, { text, kind, files }, replied) {
  const message = { from: person.id, chat: chat.id, topic, text, replyTo: replied?.messageId ?? null };
  if (files.length === 0) return simulator.send(message);
  if (kind !== 'voice') return simulator.sendFiles(message, kind, files);
  return simulator.sendVoice(message, files[0], await measureRecording(files[0]));
}
