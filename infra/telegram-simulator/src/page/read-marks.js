const KEY = 'signalbox-simulator-read';

/**
 * The newest message that each person has seen in each chat, kept by the browser. Private windows may refuse that; then
 * it is remembered until the page closes.
 */
export function createReadMarks() {
  const marks = load();
  return {
    of: (person, chat) => marks[`${person}:${chat}`] ?? 0,
    /** Only moves forward. */
    set(person, chat, messageId) {
      const key = `${person}:${chat}`;
      if ((marks[key] ?? 0) >= messageId) return;
      marks[key] = messageId;
      save(marks);
    },
  };
}

function load() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

function save(marks) {
  try {
    localStorage.setItem(KEY, JSON.stringify(marks));
  } catch {
    // See createReadMarks.
  }
}
