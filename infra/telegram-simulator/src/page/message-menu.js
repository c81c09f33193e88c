import { summaryOf } from './bubble.js';
import { element } from './element.js';
import { renderReactionRow } from './reactions.js';
import { sheetItem } from './sheet.js';
import { chatAvatar } from './sidebar.js';

/**
 * What can be done with a message. `deeds` do it: reply, copy, edit, forward, remove and react, each with the message.
 * What a client does not let people do is not offered: nobody forwards what is for them alone, and in a group one deletes
 * only one's own.
 */
export function openMessageMenu(sheet, { store, place, message, at, deeds }) {
  const { person, chat } = place;
  const isOwn = message.from.id === person.id;
  const isWhisper = message.ephemeral !== null;
  const items = [
    { label: 'Reply', drawing: 'reply', run: () => deeds.reply(message) },
    message.text !== '' && { label: 'Copy text', drawing: 'copy', run: () => deeds.copy(message) },
    canEdit(message, person) && { label: 'Edit', drawing: 'edit', run: () => deeds.edit(message) },
    !isWhisper && { label: 'Forward', drawing: 'forward', run: () => openForward() },
    (isOwn || chat.type === 'private') && {
      label: 'Delete',
      drawing: 'delete',
      kind: 'danger',
      run: () => deeds.remove(message),
    },
  ];
  const react = (emoji) => {
    sheet.close();
    deeds.react(message, emoji);
  };
  sheet.open({
    label: 'Message',
    content: [
      isWhisper ? null : renderReactionRow(message, person.id, react),
      element('p', { class: 'sheet-title', dir: 'auto' }, summaryOf(message)),
      ...items.filter(Boolean).map(sheetItem),
    ],
    at,
  });

  function openForward() {
    const chats = store.chatsOf(person.id).map((one) =>
      sheetItem({
        label: store.titleOf(one),
        drawing: chatAvatar(one),
        run: () => deeds.forward(message, one),
      }),
    );
    sheet.open({ label: 'Forward to', content: [element('h2', {}, 'Forward to'), ...chats], at });
  }
}

/** Whether a client lets a person change a message: their own words, said to everybody. */
export function canEdit({ from, service, ephemeral, forwardedFrom }, person) {
  return from.id === person.id && service === null && ephemeral === null && forwardedFrom === null;
}
