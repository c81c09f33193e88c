import { createClicks } from './clicks.js';
import { createComposer } from './composer.js';
import { byId } from './element.js';
import { createMessageList } from './message-list.js';
import { announce, showToast } from './notice.js';
import { chatAvatar, renderSidebar } from './sidebar.js';
import * as simulator from './simulator.js';
import { createStore } from './store.js';

const GROUP = 'ops';
const store = createStore();
const clicks = createClicks();
const current = { person: 0, chat: 0 };
/** Not an animation frame: those stop in a tab behind others, whose title counts the unread. */
const FRAME_MS = 25;
const changes = [];
let changesTimer = null;
let sideTimer = null;

const actions = {
  command: (command) => composer.submit(command),
  say: (text) => composer.submit(text),
  click: (message, button, node) => clicks.press({ person: current.person, chat: current.chat, message, button, node }),
  reply: (message) => composer.reply(message),
  edit: (message) => composer.edit(message),
  jump: (id) => list.jump(id),
};
const composer = createComposer({
  onSend: (parts, replied) =>
    attempt(async () => {
      for (const [index, text] of parts.entries()) {
        const replyTo = index === 0 ? (replied?.messageId ?? null) : null;
        await simulator.send({ from: current.person, chat: current.chat, text, replyTo });
      }
    }),
  onEdit: (message, text) =>
    text === message.text
      ? true
      : attempt(() => simulator.edit({ from: current.person, chat: current.chat, messageId: message.messageId, text })),
  onEditLast: () => {
    const last = store.messagesOf(current.chat).findLast((message) => message.from.id === current.person);
    if (last) composer.edit(last);
  },
  onReplied: () => list.scrollToEnd(),
});
const list = createMessageList({
  store,
  actions,
  onReachBottom: markRead,
  onOlder: () =>
    attempt(async () => {
      await store.loadOlder(current.person, current.chat);
      list.prepend();
    }),
});

byId('block').addEventListener('click', () => {
  void attempt(() => simulator.block(current.person, !store.person(current.person).blocked));
});
byId('open-drawer').addEventListener('click', () => setDrawer(true));
byId('close-drawer').addEventListener('click', () => setDrawer(false));
byId('scrim').addEventListener('click', () => setDrawer(false));
document.addEventListener('keydown', (event) => event.key === 'Escape' && setDrawer(false));
document.addEventListener('visibilitychange', () => list.isAtEnd() && markRead());
window.addEventListener('hashchange', openFromHash);

await start();

/** The simulator may still be starting, or starting again. */
async function start() {
  try {
    await store.load();
  } catch {
    showConnection(false);
    setTimeout(start, 1_000);
    return;
  }
  openFromHash();
  simulator.followEvents(store.seq, { onEvent: handleEvent, onState: showConnection });
}

function handleEvent(event) {
  if (event.kind === 'reset') return void reload();
  if (event.kind === 'people') return void store.loadPeople().then(redraw);
  if (event.kind === 'commands') return void loadCommands();
  if (event.kind === 'answer') return clicks.answered(event);
  if (event.kind === 'chatAction') return showAction(event.chatId, event.action, event.expiresInMs);
  if (!store.putMessage(event.message)) return undefined;
  changes.push(event);
  return void (changesTimer ??= setTimeout(showChanges, FRAME_MS));
}

/** Thousands of messages may come in a second: they are drawn together, a few times in that time. */
function showChanges() {
  const all = changes.splice(0);
  changesTimer = null;
  const here = all.filter((change) => change.chatId === current.chat);
  const newest = here.findLast(({ kind, message }) => kind === 'message' && message.from.id !== current.person);
  const answered = new Set(all.filter(({ message }) => message.from.isBot).map(({ chatId }) => chatId));
  for (const chat of answered) showAction(chat, null, 0);
  if (here.length > 0) list.update(here);
  if (newest) announce(`${newest.message.from.name}: ${newest.message.text}`);
  if (here.length > 0 && list.isAtEnd()) return markRead();
  return renderSide();
}

async function reload() {
  await store.load();
  redraw();
}

/** Reads who speaks where from the address: #as=1001&chat=ops. */
function openFromHash() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const person = store.person(Number(wanted.get('as'))) ?? store.people[0];
  const chats = store.chatsOf(person.id);
  const chat = wanted.get('chat') === GROUP ? chats.find((one) => one.type === 'group') : undefined;
  current.person = person.id;
  current.chat = (chat ?? chats[0]).id;
  redraw();
}

function choose(person, chat) {
  const isGroup = chat !== null && store.chat(person, chat)?.type === 'group';
  setDrawer(false);
  const hash = `#as=${person}${isGroup ? `&chat=${GROUP}` : ''}`;
  if (hash === location.hash) openFromHash();
  else location.hash = hash;
  // A phone would cover half the screen with its keyboard.
  if (matchMedia('(pointer: fine)').matches) composer.focus();
}

function redraw() {
  const person = store.person(current.person);
  const chat = store.chat(current.person, current.chat);
  byId('chat-avatar').replaceWith(Object.assign(chatAvatar(chat), { id: 'chat-avatar' }));
  byId('chat-name').textContent = chat.title;
  byId('block').hidden = chat.type === 'group';
  byId('block').textContent = person.blocked ? 'Unblock' : 'Block';
  composer.open(`${person.id}:${chat.id}`, `Message as ${person.name}`, []);
  list.show({ person, chat });
  showStatus();
  markRead();
  void loadCommands();
}

async function loadCommands() {
  const { person, chat } = current;
  const commands = await simulator.listCommands(person, chat).catch(() => []);
  if (person === current.person && chat === current.chat) composer.setCommands(commands);
}

function markRead() {
  if (document.visibilityState === 'visible') store.markRead(current.person, current.chat);
  renderSide();
}

function renderSide() {
  sideTimer ??= setTimeout(() => {
    sideTimer = null;
    renderSidebar({ store, current, onChoose: choose });
  }, FRAME_MS);
}

function showAction(chat, action, expiresInMs) {
  clearTimeout(store.typing.get(chat)?.timer);
  store.typing.delete(chat);
  if (action && expiresInMs > 0) {
    store.typing.set(chat, { action, timer: setTimeout(() => showAction(chat, null, 0), expiresInMs) });
  }
  showStatus();
}

function showStatus() {
  const action = store.typing.get(current.chat)?.action;
  const chat = store.chat(current.person, current.chat);
  const isGroup = chat.type === 'group';
  const status = byId('chat-status');
  const still = isGroup ? 'the bot reads commands, mentions, replies' : 'bot';
  status.textContent = action ? `${action.replaceAll('_', ' ')}…` : still;
  status.classList.toggle('active', Boolean(action));
  byId('typing').hidden = !action;
  if (action && list.isAtEnd()) list.scrollToEnd();
}

function showConnection(isThere) {
  byId('connection').hidden = isThere;
}

function setDrawer(isOpen) {
  document.body.classList.toggle('drawer-open', isOpen);
  if (isOpen) byId('people').querySelector('[aria-current]')?.focus();
}

/** Does something for a person; a refusal is shown and answered with false. */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    showToast(error instanceof simulator.Refusal ? error.message : 'The simulator does not answer.', 'error');
    return false;
  }
}
