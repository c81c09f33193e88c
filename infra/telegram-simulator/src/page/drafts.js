/** Between the end of a draft and its message; longer only if the message never comes. */
const SENDING_MS = 1_500;

/**
 * What the bot is writing, by chat: `{ draft, isSending }`. `onChange` hears the chat whose draft changed. A draft that
 * was sent stays until its message is there, so that the one takes the place of the other.
 */
export function createDrafts({ onChange }) {
  const shown = new Map();

  return {
    of: (chat) => shown.get(chat) ?? null,
    put(draft) {
      keep(draft.chatId, { draft, isSending: false }, draft.expiresAtMs - Date.now());
      onChange(draft.chatId);
    },
    end({ chatId, draftId, reason }) {
      const known = shown.get(chatId);
      if (known?.draft.draftId !== draftId) return;
      if (reason === 'sent') keep(chatId, { ...known, isSending: true }, SENDING_MS);
      else drop(chatId);
      onChange(chatId);
    },
    /** A message of the bot is there. */
    replaced(chatId) {
      drop(chatId);
    },
  };

  function keep(chat, state, forMs) {
    drop(chat);
    const timer = setTimeout(() => {
      shown.delete(chat);
      onChange(chat);
    }, forMs);
    shown.set(chat, { ...state, timer });
  }

  function drop(chat) {
    clearTimeout(shown.get(chat)?.timer);
    shown.delete(chat);
  }
}
