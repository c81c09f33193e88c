import { attempt, tell } from './attempt.js';
import { followActions } from './bubble-actions.js';
import { changesIn, createChangeBatches } from './change-batches.js';
import { renderBarrier, renderHeader, renderStatus } from './chat-header.js';
import { createClicks } from './clicks.js';
import { createComposer } from './composer.js';
import { createDeeds, sendMessage } from './deeds.js';
import { createDrafts } from './drafts.js';
import { byId } from './element.js';
import { createHistory } from './history.js';
import { followFocus } from './message-focus.js';
import { createMessageList } from './message-list.js';
import { canEdit, openMessageMenu } from './message-menu.js';
import { announce } from './notice.js';
import { openGroup, openPeople, openProfile } from './place-menus.js';
import { hashOf, readPlace } from './place.js';
import { followLongPresses } from './press.js';
import { createSheet } from './sheet.js';
import { renderSidebar } from './sidebar.js';
import * as simulator from './simulator.js';
import { createStore } from './store.js';
import { renderTopics } from './topic-tabs.js';
import { createTyping } from './typing.js';
import { followViewport } from './viewport.js';
import { createWhispers } from './whispers.js';

const SIDE_MS = 25;
const RETRY_MS = 1_000;

let place = null;
let sideTimer = null;
const drafts = createDrafts({
  onChange: (chat) => {
    if (place?.chat.id !== chat) return;
    list.updateDraft();
    showStatus();
  },
});
const store = createStore({ onDraft: (draft) => drafts.put(draft) });
const typing = createTyping({ onChange: showStatus });
const whispers = createWhispers({ onMessage: takeMessage, onReset: reload });
const batches = createChangeBatches(showChanges);
const clicks = createClicks();
const sheet = createSheet();
const list = createMessageList({ store, drafts, onReachBottom: markRead, onMissing: (id) => history.quote(id) });
const history = createHistory({ store, list, placeOf: () => place });
const composer = createComposer({
  onSend: (to, message, replied) => attempt(() => sendMessage(to, message, replied)),
  onEdit: ({ person, chat }, message, text) =>
    attempt(() => simulator.edit({ from: person.id, chat: chat.id, messageId: message.messageId, text })),
  onEditLast: () => {
    const { person, chat, topic } = place;
    const last = store.messagesOf(person.id, chat.id, topic).findLast((message) => canEdit(message, person));
    if (last) composer.edit(last);
  },
  onSent: () => list.scroll.toEnd(),
});
const deeds = {
  ...createDeeds({ placeOf: () => place, store }),
  reply: (message) => composer.reply(message),
  edit: (message) => composer.edit(message),
};
const focus = followFocus(byId('messages'), (article, at) => openMenu(Number(article.dataset.id), at));

followActions(byId('messages'), {
  say: (target) => composer.submit(target.dataset.value),
  command: (target) => composer.submit(target.dataset.value),
  press: (target, id) => clicks.press({ person: place.person.id, chat: place.chat.id, messageId: id, node: target }),
  reply: (_target, id) => deeds.reply(messageOf(id)),
  react: (target, id) => deeds.react(messageOf(id), target.dataset.value || null),
  menu: (target, id) => openMenu(id, pointBelow(target)),
  jump: (target) => history.jump(Number(target.dataset.value)),
  stop: () => deeds.stop(),
  older: () => tell(history.loadOlder),
});
followLongPresses(byId('messages'), (target, at) => {
  const message = target.closest('.bubble')?.closest('.message:not(.draft)');
  if (message) openMenu(Number(message.dataset.id), at);
});
followViewport();
onPress('people', '[data-person]', ({ dataset }) => {
  // On a phone the list stays, so that a chat of this person can be chosen.
  go({ person: store.person(Number(dataset.person)), chat: null, isList: true });
});
onPress('chats', '[data-chat]', ({ dataset }) => {
  go({ person: place.person, chat: store.chat(place.person.id, Number(dataset.chat)) });
});
onPress('topics', '[data-topic]', ({ dataset }) => go({ ...place, topic: Number(dataset.topic) || null }));
onPress('back', 'button', () => go({ ...place, isList: true }));
onPress('speaker', 'button', (button) => {
  // In the group everyone who is in it goes on reading the same.
  const turnTo = (person) => go({ ...place, person, chat: store.chat(person.id, place.chat.id) ?? null });
  openPeople(sheet, { store, place, at: pointBelow(button), onChoose: turnTo });
});
onPress('about', 'button', (button) => {
  const open = place.chat.type === 'group' ? openGroup : openProfile;
  open(sheet, { store, place, at: pointBelow(button), deeds });
});
onPress('barrier-open', 'button', () => {
  if (place.topic === null) void deeds.block(place.person, false);
  else void deeds.changeTopic({ topicId: place.topic }, { isClosed: false });
});
document.addEventListener('visibilitychange', () => list.scroll.isAtEnd() && markRead());
window.addEventListener('hashchange', redraw);

await start();

/** The simulator may still be starting, or starting again. */
async function start() {
  try {
    await store.load();
  } catch {
    showConnection(false);
    setTimeout(() => void start(), RETRY_MS);
    return;
  }
  redraw();
  simulator.followEvents(store.seq, { onEvent: handleEvent, onState: showConnection });
}

function handleEvent(event) {
  switch (event.kind) {
    case 'reset':
      return reload();
    case 'people':
      return void store.loadPeople().then(redraw);
    case 'bot':
      return void store.loadBot().then(redraw);
    case 'topics':
      return void store.loadTopics(event.chatId).then(redraw);
    case 'commands':
      return void loadCommands();
    case 'answer':
      return clicks.answered(event);
    case 'chatAction':
      return typing.show(event);
    case 'draft':
      return drafts.put(event.draft);
    case 'draftEnd':
      return drafts.end(event);
    default:
      return event.message && takeMessage(event);
  }
}

function takeMessage(event) {
  if (store.putMessage(event.message)) batches.add(event);
}

function showChanges(changes) {
  const said = changes.filter(({ kind, message }) => kind === 'message' && message.from.isBot);
  for (const { message } of said) {
    drafts.replaced(message.chatId);
    typing.end(message);
  }
  const here = changesIn(changes, place);
  if (here.length > 0) list.update(here);
  focus.refresh();
  const newest = here.findLast(({ kind, message }) => kind === 'message' && message.from.id !== place.person.id);
  if (newest) announce(`${newest.message.from.name}: ${newest.message.text}`);
  if (here.length > 0 && list.scroll.isAtEnd()) return markRead();
  return renderSide();
}

function reload() {
  store.load().then(redraw, () => setTimeout(reload, RETRY_MS));
}

/** Goes to a chat of a person, or to the list of chats of a phone. */
function go({ person, chat, topic = null, isList = false }) {
  const hash = hashOf({ person, chat: chat ?? store.chatsOf(person.id)[0], topic, isList });
  if (hash !== location.hash) location.hash = hash;
  // A phone would cover half the screen with its keyboard.
  if (!isList && matchMedia('(pointer: fine)').matches) composer.focus();
}

/** Shows the place that the address names; the same place again stays where it was read. */
function redraw() {
  const before = place;
  place = readPlace(location.hash, store);
  const { person, chat, topic } = place;
  const isSame = before?.person.id === person.id && before.chat.id === chat.id && before.topic === topic;
  document.body.dataset.pane = place.isList ? 'list' : 'chat';
  if (before && before.isList !== place.isList) moveFocus();
  renderHeader(store, place);
  renderBarrier(store, place);
  composer.open(place, `Message as ${person.name}`);
  if (isSame) list.refresh(place);
  else list.show(place);
  focus.refresh();
  showStatus();
  markRead();
  whispers.follow(person.id, store.seq);
  void loadCommands();
}

/** What had the focus is on the other pane of a phone; on a wide screen both are there and it stays. */
function moveFocus() {
  if (document.activeElement.checkVisibility() && document.activeElement !== document.body) return;
  const target = place.isList ? document.querySelector('#chats [aria-current]') : byId('back');
  target?.focus();
}

async function loadCommands() {
  const at = place;
  const commands = await simulator.listCommands(at.person.id, at.chat.id).catch(() => []);
  if (at.person.id !== place.person.id || at.chat.id !== place.chat.id) return;
  const { username, name } = store.bot;
  composer.offer({ commands, names: at.chat.type === 'group' ? [{ name: username, title: name }] : [] });
}

function markRead() {
  const isSeen = document.visibilityState === 'visible' && byId('chat').checkVisibility();
  if (isSeen) store.markRead(place.person.id, place.chat.id, place.topic);
  renderSide();
}

function renderSide() {
  sideTimer ??= setTimeout(() => {
    sideTimer = null;
    renderSidebar(store, place);
    renderTopics(store, place);
  }, SIDE_MS);
}

function showStatus() {
  const { chat, topic } = place;
  renderStatus(store, place, { action: typing.of(chat.id, topic), isDrafting: drafts.of(chat.id) !== null });
  if (list.scroll.isAtEnd()) list.scroll.toEnd();
}

function showConnection(isThere) {
  const wasThere = byId('connection').hidden;
  byId('connection').hidden = isThere;
  // A simulator that forgot everything does not know that we remember it.
  if (isThere && !wasThere) reload();
}

function openMenu(id, at) {
  openMessageMenu(sheet, { store, place, message: messageOf(id), at, deeds });
}

function messageOf(id) {
  return store.message(place.chat.id, id);
}

function onPress(id, selector, run) {
  byId(id).addEventListener('click', (event) => {
    const target = event.target.closest(selector);
    if (target) run(target);
  });
}

function pointBelow(node) {
  const { left, bottom } = node.getBoundingClientRect();
  return { x: left, y: bottom };
}
