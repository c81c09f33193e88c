import { copyText, followActions } from './bubble-actions.js';
import { renderHeader, renderStatus } from './chat-header.js';
import { createClicks } from './clicks.js';
import { createComposer } from './composer.js';
import { createDrafts } from './drafts.js';
import { byId } from './element.js';
import { createMenus } from './menus.js';
import { followFocus } from './message-focus.js';
import { createMessageList } from './message-list.js';
import { announce, showToast } from './notice.js';
import { hashOf, readPlace } from './place.js';
import { followLongPresses } from './press.js';
import { renderSidebar } from './sidebar.js';
import * as simulator from './simulator.js';
import { createStore } from './store.js';
import { followViewport } from './viewport.js';
import { measureRecording } from './voice.js';

/** Not an animation frame: those stop in a tab behind others, whose title counts the unread. */
const FRAME_MS = 25;
/** How many pages of older messages a jump to one of them may load. */
const MAX_PAGES = 20;

let place = null;
let changes = [];
let changesTimer = null;
let sideTimer = null;
const typing = new Map();

const drafts = createDrafts({
  onChange: (chat) => {
    if (place?.chat.id !== chat) return;
    list.updateDraft();
    showStatus();
  },
});
const store = createStore({ onDraft: (draft) => drafts.put(draft) });
const clicks = createClicks();
const list = createMessageList({ store, drafts, onReachBottom: markRead });
const composer = createComposer({
  onSend: (to, message, replied) => attempt(() => send(to, message, replied)),
  onEdit: ({ person, chat }, message, text) =>
    attempt(() => simulator.edit({ from: person.id, chat: chat.id, messageId: message.messageId, text })),
  onEditLast: () => {
    const last = messages().findLast((message) => message.from.id === place.person.id);
    if (last) composer.edit(last);
  },
  onSent: () => list.scroll.toEnd(),
});
const menus = createMenus({
  store,
  go,
  onReply: (message) => composer.reply(message),
  onEdit: (message) => composer.edit(message),
  onCopy: (message) => void copyText(message.text, 'Copied'),
  onBlock: (person, blocked) => void tell(() => simulator.block(person.id, blocked)),
});
const focus = followFocus(byId('messages'), openMenu);

followActions(byId('messages'), {
  say: (target) => composer.submit(target.dataset.value),
  command: (target) => composer.submit(target.dataset.value),
  press: (target, id) => clicks.press({ person: place.person.id, chat: place.chat.id, messageId: id, node: target }),
  reply: (_target, id) => composer.reply(messageOf(id)),
  menu: (target, id) => menus.openMessage(place, messageOf(id), pointBelow(target)),
  jump: (target) => jump(Number(target.dataset.value)),
  stop: () => tell(() => simulator.stopDraft(place.person.id)),
  older: () => tell(loadOlder),
});
followLongPresses(byId('messages'), (target, at) => {
  const bubble = target.closest('.bubble');
  if (bubble) openMenu(bubble.closest('.message'), at);
});
followViewport();
byId('people').addEventListener('click', (event) => {
  const id = event.target.closest('[data-person]')?.dataset.person;
  // On a phone the list stays, so that a chat of this person can be chosen.
  if (id) go({ person: store.person(Number(id)), chat: null, isList: true });
});
byId('chats').addEventListener('click', (event) => {
  const id = event.target.closest('[data-chat]')?.dataset.chat;
  if (id) go({ person: place.person, chat: store.chat(place.person.id, Number(id)) });
});
byId('back').addEventListener('click', () => go({ ...place, isList: true }));
byId('speaker').addEventListener('click', (event) => menus.openPeople(place, pointBelow(event.currentTarget)));
byId('about').addEventListener('click', (event) => menus.openAbout(place, pointBelow(event.currentTarget)));
byId('unblock').addEventListener('click', () => void tell(() => simulator.block(place.person.id, false)));
document.addEventListener('visibilitychange', () => list.scroll.isAtEnd() && markRead());
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
  switch (event.kind) {
    case 'reset':
      return void store.load().then(redraw);
    case 'people':
      return void store.loadPeople().then(redraw);
    case 'commands':
      return void loadCommands();
    case 'answer':
      return clicks.answered(event);
    case 'chatAction':
      return showAction(event.chatId, event.action, event.expiresInMs);
    case 'draft':
      return drafts.put(event.draft);
    case 'draftEnd':
      return drafts.end(event);
    default:
      if (!store.putMessage(event.message)) return undefined;
      changes.push(event);
      return void (changesTimer ??= setTimeout(showChanges, FRAME_MS));
  }
}

/** Thousands of messages may come in a second: they are drawn together, a few times in that time. */
function showChanges() {
  const all = changes;
  changes = [];
  changesTimer = null;
  const here = all.filter((change) => change.chatId === place.chat.id);
  const newest = here.findLast(({ kind, message }) => kind === 'message' && message.from.id !== place.person.id);
  const answered = all.filter(({ kind, message }) => kind === 'message' && message.from.isBot);
  for (const { chatId } of answered) drafts.replaced(chatId);
  for (const chat of new Set(answered.map(({ chatId }) => chatId))) showAction(chat, null, 0);
  if (here.length > 0) list.update(here);
  focus.refresh();
  if (newest) announce(`${newest.message.from.name}: ${newest.message.text}`);
  if (here.length > 0 && list.scroll.isAtEnd()) return markRead();
  return renderSide();
}

function openFromHash() {
  place = readPlace(location.hash, store);
  redraw();
}

/** Goes to a chat of a person, or to the list of chats of a phone. */
function go({ person, chat, isList = false }) {
  menus.close();
  const target = { person, chat: chat ?? store.chatsOf(person.id)[0], isList };
  const hash = hashOf(target);
  if (hash === location.hash) openFromHash();
  else location.hash = hash;
  // A phone would cover half the screen with its keyboard.
  if (!isList && matchMedia('(pointer: fine)').matches) composer.focus();
}

function redraw() {
  place = readPlace(location.hash, store);
  const { person, chat, isList } = place;
  document.body.dataset.pane = isList ? 'list' : 'chat';
  renderHeader(place);
  const isBlocked = chat.type === 'private' && person.blocked;
  byId('composer').hidden = isBlocked;
  byId('blocked').hidden = !isBlocked;
  byId('blocked-text').textContent = `${person.name} blocked the bot: neither hears from the other.`;
  composer.open(place, `Message as ${person.name}`);
  list.show(place);
  focus.refresh();
  showStatus();
  markRead();
  void loadCommands();
}

async function loadCommands() {
  const at = place;
  const commands = await simulator.listCommands(at.person.id, at.chat.id).catch(() => []);
  if (at !== place) return;
  const names = at.chat.type === 'group' ? [{ name: 'signalbox_bot', title: 'Signalbox' }] : [];
  composer.offer({ commands, names });
}

async function send({ person, chat }, { text, kind, files }, replied) {
  const message = { from: person.id, chat: chat.id, text, replyTo: replied?.messageId ?? null };
  if (files.length === 0) return simulator.send(message);
  if (kind !== 'voice') return simulator.sendFiles(message, kind, files);
  return simulator.sendVoice(message, files[0], await measureRecording(files[0]));
}

async function loadOlder() {
  await store.loadOlder(place.person.id, place.chat.id);
  list.refresh();
}

/** Shows a message, also one that is not loaded yet. */
async function jump(id) {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const node = list.find(id);
    if (node) return list.scroll.show(node);
    if (!store.hasOlder.get(place.chat.id) || (await attempt(loadOlder)) !== null) break;
  }
  return showToast('That message is not there any more.');
}

function markRead() {
  const isSeen = document.visibilityState === 'visible' && byId('chat').checkVisibility();
  if (isSeen) store.markRead(place.person.id, place.chat.id);
  renderSide();
}

function renderSide() {
  sideTimer ??= setTimeout(() => {
    sideTimer = null;
    renderSidebar(store, place);
  }, FRAME_MS);
}

function showAction(chat, action, expiresInMs) {
  clearTimeout(typing.get(chat)?.timer);
  typing.delete(chat);
  if (action && expiresInMs > 0) {
    typing.set(chat, { action, timer: setTimeout(() => showAction(chat, null, 0), expiresInMs) });
  }
  showStatus();
}

function showStatus() {
  const { chat } = place;
  renderStatus(chat, { action: typing.get(chat.id)?.action, isDrafting: drafts.of(chat.id) !== null });
  if (list.scroll.isAtEnd()) list.scroll.toEnd();
}

function showConnection(isThere) {
  byId('connection').hidden = isThere;
}

function openMenu(article, at) {
  menus.openMessage(place, messageOf(Number(article.dataset.id)), at);
}

function pointBelow(node) {
  const { left, bottom } = node.getBoundingClientRect();
  return { x: left, y: bottom };
}

function messages() {
  return store.messagesOf(place.person.id, place.chat.id);
}

function messageOf(id) {
  return store.message(place.chat.id, id);
}

/** Does something for a person; answers null, or a sentence that says why it could not be done. */
async function attempt(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof simulator.Refusal ? error.message : 'The simulator does not answer.';
  }
}

/** The same for what has no place of its own for such a sentence. */
async function tell(work) {
  const problem = await attempt(work);
  if (problem !== null) showToast(problem, 'error');
}
