import { renderBubble } from './bubble.js';
import { byId, element } from './element.js';
import { dayOf } from './time.js';

/** Close enough to the end to count as reading it. */
const AT_BOTTOM_PX = 80;
/** From here on one new drawing is quicker than many small ones. */
const MANY_CHANGES = 30;

/**
 * Shows the messages of one chat. It follows new ones only while the reader is at the end; otherwise the reader
 * stays where they are and a button counts what came.
 */
export function createMessageList({ store, actions, onReachBottom, onOlder }) {
  const scroller = byId('scroller');
  const container = byId('messages');
  const toBottom = byId('to-bottom');
  let current = null;
  let missed = 0;
  let isPinned = true;

  scroller.addEventListener('scroll', () => {
    isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_BOTTOM_PX;
    if (isPinned) missed = 0;
    renderToBottom();
    if (isPinned) onReachBottom();
  });
  toBottom.addEventListener('click', () => scrollToEnd('smooth'));
  // The keyboard of a phone or a growing text field takes room from below.
  new ResizeObserver(() => isPinned && scrollToEnd()).observe(scroller);
  new ResizeObserver(() => isPinned && scrollToEnd()).observe(container);

  return {
    /** Draws another chat, or this one anew, from its end. */
    show(chat) {
      current = chat;
      missed = 0;
      isPinned = true;
      draw();
      scrollToEnd();
    },
    /** Takes up what changed in the shown chat; the changes are in the store already. */
    update(changes) {
      const fresh = changes.filter(({ kind }) => kind === 'message').map(({ message }) => message);
      const isTrimmed = isPinned && store.trim(current.chat.id);
      const isSimple = changes.length < MANY_CHANGES && changes.every(({ kind }) => kind !== 'delete');
      if (isTrimmed || !isSimple) drawInPlace();
      else for (const change of changes) apply(change);
      if (isPinned || fresh.some((message) => message.from.id === current.person.id)) return scrollToEnd();
      missed += fresh.length;
      return renderToBottom();
    },
    /** Draws again and keeps what the reader looks at in place: older messages came in above. */
    prepend() {
      const fromEnd = scroller.scrollHeight - scroller.scrollTop;
      draw();
      scroller.scrollTop = scroller.scrollHeight - fromEnd;
    },
    jump(id) {
      const target = container.querySelector(`[data-id="${id}"]`);
      if (!target) return;
      target.scrollIntoView({ block: 'center', behavior: 'smooth' });
      target.classList.add('flash');
      target.addEventListener('animationend', () => target.classList.remove('flash'), { once: true });
    },
    scrollToEnd,
    isAtEnd: () => isPinned,
  };

  function draw() {
    const messages = store.messagesOf(current.chat.id);
    if (messages.length === 0) return container.replaceChildren(renderEmpty());
    const nodes = [];
    if (store.hasOlder.get(current.chat.id)) {
      nodes.push(
        element(
          'button',
          { type: 'button', class: 'older quiet-button', on: { click: onOlder } },
          'Show earlier messages',
        ),
      );
    }
    messages.forEach((message, index) => nodes.push(...nodesOf(message, messages[index - 1])));
    return container.replaceChildren(...nodes);
  }

  /** Draws again; what comes after the end of the screen does not move what is on it. */
  function drawInPlace() {
    const top = scroller.scrollTop;
    draw();
    scroller.scrollTop = top;
  }

  function apply({ kind, message }) {
    const known = container.querySelector(`[data-id="${message.messageId}"]`);
    if (known) return known.replaceWith(bubbleOf(message, previousOf(message)));
    // A change of a message which is not loaded is seen when it is.
    if (kind === 'edit') return undefined;
    container.querySelector('.empty')?.remove();
    return container.append(...nodesOf(message, previousOf(message)));
  }

  function nodesOf(message, previous) {
    const day = dayOf(message.date);
    const isSameDay = previous && dayOf(previous.date) === day;
    const bubble = bubbleOf(message, isSameDay ? previous : undefined);
    return isSameDay ? [bubble] : [element('div', { class: 'day' }, day), bubble];
  }

  function bubbleOf(message, previous) {
    const replied = message.replyTo === null ? undefined : store.message(message.chatId, message.replyTo);
    const isGroup = current.chat.type === 'group';
    return renderBubble({ message, previous, replied, person: current.person.id, isGroup, actions });
  }

  function previousOf(message) {
    return store.messagesOf(message.chatId).findLast((one) => one.messageId < message.messageId);
  }

  function scrollToEnd(behavior = 'auto') {
    isPinned = true;
    missed = 0;
    scroller.scrollTo({ top: scroller.scrollHeight, behavior });
    renderToBottom();
  }

  function renderToBottom() {
    toBottom.hidden = isPinned;
    const count = byId('to-bottom-badge');
    count.hidden = missed === 0;
    count.textContent = String(missed);
  }

  function renderEmpty() {
    const { person, chat } = current;
    const { title, hint, tries } = welcomeOf(person, chat);
    return element(
      'div',
      { class: 'empty' },
      element('h2', {}, title),
      element('p', {}, hint),
      element(
        'div',
        { class: 'tries' },
        ...tries.map((text) =>
          element('button', { type: 'button', class: 'try', on: { click: () => actions.say(text) } }, text),
        ),
      ),
    );
  }
}

function welcomeOf(person, chat) {
  if (chat.type === 'group') {
    return {
      title: 'A group with the bot in it',
      hint: 'As in Telegram, here the bot reads only commands, replies to it and messages that mention it. Try:',
      tries: ['@signalbox_bot what is running?', '/status'],
    };
  }
  if (person.role === 'stranger') {
    return {
      title: `${person.name} is a stranger`,
      hint: 'Nobody has let this person in yet. Say hello and see what a stranger gets:',
      tries: ['Hello!'],
    };
  }
  return {
    title: `You speak as ${person.name}, ${person.role}`,
    hint: 'Say hello, or try:',
    tries: ['Hello!', 'create a project called shop', '/help'],
  };
}
