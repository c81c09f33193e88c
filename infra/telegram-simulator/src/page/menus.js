import { summaryOf } from './bubble.js';
import { badge, element, personAvatar } from './element.js';
import { createSheet, sheetItem } from './sheet.js';

/** The panels: what can be done with a message, who speaks, and what is known about a chat. */
export function createMenus({ store, go, onReply, onEdit, onCopy, onBlock }) {
  const sheet = createSheet();

  return {
    close: () => sheet.isOpen() && sheet.close(),
    openMessage({ person }, message, at) {
      const isOwn = message.from.id === person.id;
      const items = [
        { label: 'Reply', drawing: 'reply', run: () => onReply(message) },
        message.text !== '' && { label: 'Copy text', drawing: 'copy', run: () => onCopy(message) },
        isOwn && { label: 'Edit', drawing: 'edit', run: () => onEdit(message) },
      ];
      const title = element('p', { class: 'sheet-title', dir: 'auto' }, summaryOf(message));
      sheet.open({ label: 'Message', content: [title, ...items.filter(Boolean).map(sheetItem)], at });
    },
    openPeople({ person: current, chat }, at) {
      const items = store.people.map((person) =>
        sheetItem({
          label: person.name,
          detail: person.role,
          drawing: personAvatar(person.id, person.name),
          isCurrent: person.id === current.id,
          end: badge(store.unreadOf(person.id)),
          // In the group everyone who is in it goes on reading the same.
          run: () => go({ person, chat: store.chat(person.id, chat.id) ?? null }),
        }),
      );
      sheet.open({ label: 'Speak as', content: [element('h2', {}, 'Speak as'), ...items], at });
    },
    openAbout({ person, chat }, at) {
      const content =
        chat.type === 'group'
          ? [element('h2', {}, chat.title), element('p', {}, 'A group with the bot in it.')]
          : [
              element('h2', {}, chat.title),
              sheetItem({
                label: person.blocked ? 'Unblock the bot' : 'Block the bot',
                drawing: person.blocked ? 'check' : 'close',
                kind: person.blocked ? undefined : 'danger',
                run: () => onBlock(person, !person.blocked),
              }),
            ];
      sheet.open({ label: 'About', content, at });
    },
  };
}
