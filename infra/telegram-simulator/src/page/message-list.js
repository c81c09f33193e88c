import { renderBubble } from './bubble.js';
import { renderDraft } from './draft-bubble.js';
import { byId, element } from './element.js';
import { morph, morphChildren } from './morph.js';
import { createScroll } from './scroll.js';
import { renderService } from './service-line.js';
import { dayOf, isSameDay } from './time.js';
import { isVisibleTo } from './visibility.js';
import { renderWelcome } from './welcome.js';

/** From here on one new drawing is quicker than many small ones. */
const MANY_CHANGES = 30;

/**
 * Shows the messages of one chat as one person sees them, and what the bot is writing below them. `onMissing` gets the id
 * of a message that is answered and not loaded.
 */
export function createMessageList({ store, drafts, onReachBottom, onMissing }) {
  const container = byId('messages');
  const scroll = createScroll({ onReachBottom });
  let current = null;

  return {
    /** Draws another chat, or this one anew, from its end. */
    show(place) {
      current = place;
      container.replaceChildren();
      draw();
      scroll.toEnd();
    },
    /** Draws the shown chat again and keeps what the reader looks at in place. */
    refresh(place) {
      current = place;
      scroll.keepPlace(draw);
      if (scroll.isAtEnd()) scroll.toEnd();
    },
    /** Takes up what changed in the shown chat; the changes are in the store already. */
    update(changes) {
      const fresh = changes.filter(({ kind }) => kind === 'message').map(({ message }) => message);
      const isTrimmed = scroll.isAtEnd() && store.trim(current.chat.id);
      const newest = Math.max(0, ...[...container.querySelectorAll('[data-id]')].map(idOf));
      const isSimple =
        changes.length < MANY_CHANGES && changes.every(isSmall) && fresh.every(({ messageId }) => messageId > newest);
      const isTaken = fresh.length > 0 && container.querySelector('.draft') !== null;
      scroll.keepPlace(() => {
        drawDraft();
        if (isTrimmed || !isSimple) draw();
        else for (const change of inOrder(changes)) apply(change, !isTaken);
      });
      const isOwn = fresh.some((message) => message.from.id === current.person.id);
      if (scroll.isAtEnd() || isOwn) scroll.toEnd();
      else scroll.miss(fresh.length);
    },
    /** Draws what the bot is writing now. */
    updateDraft() {
      drawDraft();
      if (scroll.isAtEnd()) scroll.toEnd();
    },
    find: (id) => container.querySelector(`[data-id="${id}"], [data-also~="${id}"]`),
    scroll,
  };

  function messages() {
    return store.messagesOf(current.person.id, current.chat.id, current.topic);
  }

  function draw() {
    const shown = messages();
    const draft = renderCurrentDraft();
    if (shown.length === 0 && !draft) return morphChildren(container, [renderWelcome(current, store)]);
    const older = element(
      'button',
      { type: 'button', class: 'older quiet-button', data: { do: 'older', key: 'older' } },
      'Show earlier messages',
    );
    const nodes = [];
    const known = new Map([...container.children].map((node) => [node.dataset.key, node]));
    groupAlbums(shown).forEach((group, index, groups) => {
      nodes.push(...nodesOf(group, groups[index - 1]?.at(-1), known));
    });
    if (store.hasOlder(current.chat.id)) nodes.unshift(older);
    return morphChildren(container, draft ? [...nodes, draft] : nodes);
  }

  function drawDraft() {
    const known = container.querySelector('.draft');
    const wanted = renderCurrentDraft();
    if (!wanted) return known?.remove();
    container.querySelector('.empty')?.remove();
    if (known?.dataset.key === wanted.dataset.key) return morph(known, wanted);
    known?.remove();
    return container.append(wanted);
  }

  function renderCurrentDraft() {
    const state = drafts.of(current.chat.id);
    return state && renderDraft(state.draft, state);
  }

  function apply({ kind, message }, isNew) {
    const known = container.querySelector(`[data-id="${message.messageId}"]`);
    if (known) return morph(known, bubbleOf([message], previousOf(message)));
    // A change of a message which is not loaded is seen when it is.
    if (kind === 'edit') return undefined;
    container.querySelector('.empty')?.remove();
    const nodes = nodesOf([message], previousOf(message));
    if (isNew) nodes.at(-1).classList.add('fresh');
    const draft = container.querySelector('.draft');
    return draft ? draft.before(...nodes) : container.append(...nodes);
  }

  function nodesOf(group, previous, known) {
    const [{ service, date }] = group;
    const above = previous && isSameDay(previous.date, date) ? previous : undefined;
    const bubble = service ? renderService(group[0]) : bubbleOf(group, above, known);
    if (above) return [bubble];
    const day = dayOf(date);
    return [element('div', { class: 'day', data: { key: `day ${day}` } }, day), bubble];
  }

  /** Draws a bubble. One of the `known` elements that shows the same already is taken as it is. */
  function bubbleOf(group, previous, known) {
    const [{ chatId, messageId, replyTo }] = group;
    const replied = replyTo === null ? undefined : findReplied(chatId, replyTo);
    // What stands between two messages separates them.
    const above = previous?.service ? undefined : previous;
    const state = [...group.map(({ seq }) => seq), above?.messageId, replied?.seq ?? replied?.deleted].join(' ');
    const same = known?.get(`m${messageId}`);
    if (same?.dataset.state === state) return same;
    const isGroup = current.chat.type === 'group';
    const person = current.person.id;
    const bubble = renderBubble({ messages: group, previous: above, replied, person, isGroup, nameOf: store.nameOf });
    bubble.dataset.state = state;
    return bubble;
  }

  /** What a message answers, as far as this person sees it. */
  function findReplied(chat, id) {
    const found = store.message(chat, id);
    if (!found) onMissing(id);
    return !found || found.deleted || isVisibleTo(found, current.person.id) ? found : { deleted: true };
  }

  function previousOf(message) {
    return messages().findLast((one) => one.messageId < message.messageId);
  }
}

/** What is for one person comes on a way of its own and may come later than what was said after it. */
function inOrder(changes) {
  return changes.toSorted((a, b) => a.message.messageId - b.message.messageId);
}

function idOf(node) {
  return Number(node.dataset.id);
}

/** What changes nothing around it, and stands at the end if it is new. */
function isSmall({ kind, message }) {
  return kind !== 'delete' && message.albumId === null && !message.ephemeral?.replaces;
}

/** Lists of messages that are shown as one: those of an album, and every other one alone. */
function groupAlbums(messages) {
  const groups = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.albumId && last?.[0].albumId === message.albumId) last.push(message);
    else groups.push([message]);
  }
  return groups;
}
