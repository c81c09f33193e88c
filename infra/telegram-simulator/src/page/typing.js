/** What the bot is doing ("typing", "upload_document"), by chat and topic, for as long as Telegram shows it. */
export function createTyping({ onChange }) {
  const shown = new Map();

  return {
    of: (chat, topic) => shown.get(`${chat}/${topic}`)?.action,
    show({ chatId, topicId = null, action, expiresInMs }) {
      const key = `${chatId}/${topicId}`;
      drop(key);
      shown.set(key, { action, timer: setTimeout(() => end(key), expiresInMs) });
      onChange();
    },
    /** A message of the bot ends what it was doing there. */
    end: ({ chatId, topicId }) => end(`${chatId}/${topicId}`),
  };

  function end(key) {
    if (!shown.has(key)) return;
    drop(key);
    onChange();
  }

  function drop(key) {
    clearTimeout(shown.get(key)?.timer);
    shown.delete(key);
  }
}
