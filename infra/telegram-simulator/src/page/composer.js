import { createAttachments } from './attachments.js';
import { summaryOf } from './bubble.js';
import { byId } from './element.js';
import { planMessages } from './file-batches.js';
import { showToast } from './notice.js';
import { createSuggestions } from './suggestions.js';
import { splitText } from './text-parts.js';

const MAX_HEIGHT_PX = 180;
/** Phones have no Shift+Enter: there the Enter key makes a line and the button sends, as in Telegram. */
const HAS_KEYBOARD = matchMedia('(pointer: fine)').matches;

/**
 * The field at the bottom: Enter sends, Shift+Enter makes a line, "/" and "@" offer what fits, ↑ in an empty field edits
 * the last own message, Escape cancels a reply or an edit. Each chat of each person keeps its own text. `onSend` and
 * `onEdit` answer null, or why it could not be done.
 */
export function createComposer({ onSend, onEdit, onEditLast, onSent }) {
  const text = byId('text');
  const texts = new Map();
  let place = null;
  // The message that is answered or changed: { mode: 'reply' | 'edit', message } or null.
  let context = null;
  let isSending = false;
  const attachments = createAttachments({ onChange: refresh });
  const suggestions = createSuggestions({ onCommand: (command) => submit(`/${command}`), onText: refresh });

  text.enterKeyHint = HAS_KEYBOARD ? 'send' : 'enter';
  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(text.value);
  });
  text.addEventListener('input', refresh);
  text.addEventListener('keydown', (event) => {
    if (event.isComposing || suggestions.handleKey(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && HAS_KEYBOARD) {
      event.preventDefault();
      void submit(text.value);
    } else if (event.key === 'Escape') {
      cancel();
    } else if (event.key === 'ArrowUp' && text.value === '' && context === null) {
      event.preventDefault();
      onEditLast();
    }
  });
  byId('context-cancel').addEventListener('click', cancel);
  byId('slash').addEventListener('click', () => {
    if (text.value === '') text.value = '/';
    refresh();
    text.focus();
  });

  return {
    /** Turns to another chat: keeps the text of the old one and brings back that of the new. */
    open(next, placeholder) {
      const isSame = place !== null && keyOf(place) === keyOf(next);
      if (place && !isSame && context?.mode !== 'edit') texts.set(keyOf(place), text.value);
      place = next;
      if (isSame) return;
      attachments.remove();
      context = null;
      text.value = texts.get(keyOf(place)) ?? '';
      text.placeholder = placeholder;
      refresh();
    },
    /** What may be offered while somebody types: see createSuggestions. */
    offer(given) {
      suggestions.offer(given);
      refresh();
    },
    reply: (message) => begin({ mode: 'reply', message }),
    edit: (message) => begin({ mode: 'edit', message }),
    submit,
    focus: () => text.focus(),
  };

  function begin(next) {
    context = next;
    if (next.mode === 'edit') text.value = next.message.text;
    refresh();
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  }

  function cancel() {
    if (context?.mode === 'edit') text.value = '';
    context = null;
    refresh();
  }

  async function submit(value) {
    const { mode, message } = context ?? {};
    const plan = planMessages(splitText(value.trim()), mode === 'edit' ? [] : attachments.batches());
    if (plan.length === 0 || isSending) return;
    isSending = plan.some(({ files }) => files.length > 0);
    const before = { place, context };
    text.value = '';
    context = null;
    refresh();
    const failed =
      mode === 'edit' ? await change(before.place, message, plan) : await sendAll(before.place, plan, message ?? null);
    isSending = false;
    if (failed.length > 0)
      restore(
        before,
        failed
          .map((one) => one.text)
          .join('\n')
          .trim(),
      );
    refresh();
    onSent();
  }

  /** Nothing that was typed gets lost, unless something new was typed meanwhile. */
  function restore(before, words) {
    if (keyOf(before.place) !== keyOf(place)) {
      texts.set(keyOf(before.place), words);
      return;
    }
    if (text.value === '') text.value = words;
    context ??= before.context;
  }

  /** Sends one after the other, in order; answers those that could not be sent. */
  async function sendAll(to, plan, replied) {
    for (const [index, one] of plan.entries()) {
      const problem = await onSend(to, one, index === 0 ? replied : null);
      attachments.remove(problem === null ? one.files : []);
      if (problem === null) continue;
      if (one.files.length > 0) attachments.report(problem);
      else showToast(problem, 'error');
      return plan.slice(index);
    }
    return [];
  }

  async function change(to, message, plan) {
    const problem = plan[0].text === message.text ? null : await onEdit(to, message, plan[0].text);
    if (problem === null) return [];
    showToast(problem, 'error');
    return plan;
  }

  function refresh() {
    text.style.height = 'auto';
    text.style.height = `${Math.min(text.scrollHeight, MAX_HEIGHT_PX)}px`;
    text.style.overflowY = text.scrollHeight > MAX_HEIGHT_PX ? 'auto' : 'hidden';
    byId('slash').hidden = !suggestions.hasCommands() || text.value !== '' || attachments.count() > 0;
    byId('attach').hidden = context?.mode === 'edit';
    byId('send').disabled = isSending || (text.value.trim() === '' && attachments.count() === 0);
    attachments.setSending(isSending);
    byId('context').hidden = context === null;
    if (context) {
      byId('context-icon').setAttribute('href', `#icon-${context.mode}`);
      byId('context-title').textContent =
        context.mode === 'edit' ? 'Edit message' : `Reply to ${context.message.from.name}`;
      byId('context-body').textContent = summaryOf(context.message);
    }
    suggestions.refresh();
  }
}

function keyOf({ person, chat, topic }) {
  return `${person.id}:${chat.id}:${topic}`;
}
