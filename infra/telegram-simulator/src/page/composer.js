import { createCommandMenu } from './command-menu.js';
import { byId } from './element.js';
import { splitText } from './text-parts.js';

const MAX_HEIGHT_PX = 180;

/**
 * The field at the bottom: Enter sends, Shift+Enter makes a line, "/" offers commands, ↑ in an empty field edits the
 * last own message, Escape cancels a reply or an edit. Each chat of each person keeps its own draft.
 */
export function createComposer({ onSend, onEdit, onEditLast, onReplied }) {
  const text = byId('text');
  const drafts = new Map();
  let key = '';
  // The message that is answered or changed: { mode: 'reply' | 'edit', message } or null.
  let context = null;
  const menu = createCommandMenu({ onChoose: (command) => submit(`/${command}`) });

  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(text.value);
  });
  text.addEventListener('input', refresh);
  text.addEventListener('keydown', (event) => {
    if (event.isComposing || menu.handleKey(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
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
    /** Turns to another chat: keeps the draft of the old one and brings back that of the new. */
    open(nextKey, placeholder, commands) {
      if (key && context?.mode !== 'edit') drafts.set(key, text.value);
      key = nextKey;
      context = null;
      text.value = drafts.get(key) ?? '';
      text.placeholder = placeholder;
      menu.setCommands(commands);
      refresh();
    },
    setCommands(commands) {
      menu.setCommands(commands);
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
    const trimmed = value.trim();
    if (trimmed === '') return;
    const { mode, message } = context ?? {};
    const before = text.value;
    text.value = '';
    context = null;
    refresh();
    const parts = splitText(trimmed);
    const done =
      mode === 'edit' ? await onEdit(message, parts[0]) : await onSend(parts, mode === 'reply' ? message : null);
    if (done) return onReplied();
    // Nothing that was typed gets lost, unless something new was typed meanwhile.
    if (text.value === '') text.value = before;
    return refresh();
  }

  function refresh() {
    text.style.height = 'auto';
    text.style.height = `${Math.min(text.scrollHeight, MAX_HEIGHT_PX)}px`;
    text.style.overflowY = text.scrollHeight > MAX_HEIGHT_PX ? 'auto' : 'hidden';
    byId('slash').hidden = !menu.hasCommands() || text.value !== '';
    byId('send').disabled = text.value.trim() === '';
    byId('context').hidden = context === null;
    if (context) {
      byId('context-icon').setAttribute('href', `#icon-${context.mode}`);
      byId('context-title').textContent =
        context.mode === 'edit' ? 'Edit message' : `Reply to ${context.message.from.name}`;
      byId('context-body').textContent = context.message.text.slice(0, 160);
    }
    menu.refresh(text.value);
  }
}
