import { attempt } from './attempt.js';
import { showToast } from './notice.js';

/** Loads what is older than what the list shows, for the place where the reader is. */
export function createHistory({ store, list, placeOf }) {
  return {
    loadOlder,
    /** Loads a message that another one quotes; a failure leaves the quotation without its words. */
    async quote(id) {
      const { person, chat } = placeOf();
      const isNew = await store.loadQuoted(person.id, chat.id, id).catch(() => false);
      if (isNew) list.refresh(placeOf());
    },
    /** Shows a message, also one that is not loaded yet. */
    async jump(id) {
      const { chat } = placeOf();
      while (!list.find(id) && store.hasOlder(chat.id)) {
        if ((await attempt(loadOlder)) !== null) break;
        // Somebody who went on to another chat wants to stay there.
        if (placeOf().chat.id !== chat.id) return;
      }
      const node = list.find(id);
      if (node) list.scroll.show(node);
      else showToast('That message is not there any more.');
    },
  };

  async function loadOlder() {
    const { person, chat, topic } = placeOf();
    await store.loadOlder(person.id, chat.id, topic);
    list.refresh(placeOf());
  }
}
