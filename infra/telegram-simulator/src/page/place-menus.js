import { badge, element, icon, personAvatar } from './element.js';
import { sheetItem } from './sheet.js';
import { chatAvatar } from './sidebar.js';

/** Who speaks: everybody, with what they have not read. `onChoose` gets the person. */
export function openPeople(sheet, { store, place, at, onChoose }) {
  const items = store.people.map((person) =>
    sheetItem({
      label: person.name,
      detail: person.role,
      drawing: personAvatar(person.id, person.name),
      isCurrent: person.id === place.person.id,
      end: badge(store.unreadOf(person.id)),
      run: () => onChoose(person),
    }),
  );
  sheet.open({ label: 'Speak as', content: [element('h2', {}, 'Speak as'), ...items], at });
}

/** What the bot says of itself, and whether it may write to this person. */
export function openProfile(sheet, { store, place, at, deeds }) {
  const { bot } = store;
  const { person, chat } = place;
  const lines = [bot.description, bot.shortDescription].filter(
    (line, index, all) => line && all.indexOf(line) === index,
  );
  sheet.open({
    label: 'About the bot',
    content: [
      renderHead(chat, bot.name, `@${bot.username}`),
      ...lines.map((line) => element('p', { dir: 'auto' }, line)),
      sheetItem({
        label: person.blocked ? 'Unblock the bot' : 'Block the bot',
        drawing: icon(person.blocked ? 'check' : 'block'),
        kind: person.blocked ? undefined : 'danger',
        run: () => deeds.block(person, !person.blocked),
      }),
    ],
    at,
  });
}

const STATUSES = {
  administrator: 'Administrator: it reads everything',
  member: 'Member: it reads commands, mentions and replies',
  kicked: 'Removed from the group',
};

/** Who is in the group, what the bot may do there, and its topics. */
export function openGroup(sheet, { store, place, at, deeds }) {
  const { chat, topic } = place;
  const current = store.topicsOf(chat.id).find(({ topicId }) => topicId === topic);
  const members = store.membersOf(chat.id).map(({ name }) => name);
  const statuses = Object.entries(STATUSES).map(([status, label]) =>
    sheetItem({
      label,
      drawing: icon(status === store.bot.groupStatus ? 'check' : 'bot'),
      isCurrent: status === store.bot.groupStatus,
      run: () => deeds.setStatus(status),
    }),
  );
  sheet.open({
    label: 'About the group',
    content: [
      renderHead(chat, chat.title, `${members.join(', ')} and ${store.bot.name}`),
      element('h3', {}, `${store.bot.name} here`),
      ...statuses,
      element('h3', {}, 'Topics'),
      renderNameForm('New topic', 'Add', deeds.openTopic),
      current &&
        sheetItem({
          label: current.isClosed ? `Open ${current.name} again` : `Close ${current.name}`,
          drawing: icon(current.isClosed ? 'check' : 'close'),
          run: () => deeds.changeTopic(current, { isClosed: !current.isClosed }),
        }),
      current && renderNameForm(`Rename ${current.name}`, 'Rename', (name) => deeds.changeTopic(current, { name })),
    ],
    at,
  });
}

function renderHead(chat, title, detail) {
  return element(
    'div',
    { class: 'sheet-head' },
    chatAvatar(chat),
    element('div', { class: 'sheet-words' }, element('h2', { dir: 'auto' }, title), element('span', {}, detail)),
  );
}

function renderNameForm(label, verb, run) {
  const input = element('input', {
    type: 'text',
    'aria-label': label,
    placeholder: label,
    maxlength: 128,
    dir: 'auto',
  });
  return element(
    'form',
    {
      class: 'sheet-form',
      on: {
        submit: (event) => {
          event.preventDefault();
          const name = input.value.trim();
          if (name === '') return;
          event.currentTarget.closest('dialog').close();
          run(name);
        },
      },
    },
    input,
    element('button', {}, verb),
  );
}
