import { announce, showAlert, showToast } from './notice.js';
import * as simulator from './simulator.js';

/** A client stops waiting for an answer after a while; the bot may still do the work. */
const GIVE_UP_MS = 15_000;

/** Presses buttons and shows what the bot answers to the press. */
export function createClicks() {
  const waiting = new Map();
  // An answer can overtake the response to the press itself.
  const early = new Map();

  return {
    async press({ person, chat, messageId, node }) {
      if (node.hasAttribute('data-busy')) return undefined;
      node.setAttribute('data-busy', '');
      const settle = (answer) => {
        node.removeAttribute('data-busy');
        if (answer) show(answer);
      };
      try {
        const { callbackQueryId } = await simulator.click({
          from: person,
          chat,
          messageId,
          button: node.dataset.value,
        });
        const answer = early.get(callbackQueryId);
        if (answer) return settle(answer);
        waiting.set(callbackQueryId, settle);
        setTimeout(() => waiting.delete(callbackQueryId) && settle(null), GIVE_UP_MS);
      } catch (error) {
        settle({ text: error.message, showAlert: false });
      }
      return undefined;
    },
    answered(event) {
      const settle = waiting.get(event.callbackQueryId);
      if (settle) {
        waiting.delete(event.callbackQueryId);
        settle(event);
        return;
      }
      early.set(event.callbackQueryId, event);
      setTimeout(() => early.delete(event.callbackQueryId), GIVE_UP_MS);
    },
  };
}

function show({ text, showAlert: isAlert }) {
  if (text === '') return;
  if (isAlert) return showAlert(text);
  announce(text);
  return showToast(text);
}
