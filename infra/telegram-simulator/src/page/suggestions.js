import { byId, element, icon } from './element.js';

/**
 * The list above the field: commands while the text is the beginning of one, and names after an @. `onCommand` gets a
 * command that was chosen; a name is put into the text.
 */
export function createSuggestions({ onCommand, onText }) {
  const list = byId('suggestions');
  const text = byId('text');
  let commands = [];
  let names = [];
  let shown = [];
  let selected = 0;

  text.setAttribute('aria-controls', 'suggestions');

  return {
    /** What may be offered: the commands of the bot, and `{ name, title }` of whom one can mention. */
    offer(next) {
      ({ commands, names } = next);
      this.refresh();
    },
    hasCommands: () => commands.length > 0,
    /** Offers what fits what was typed before the caret. */
    refresh() {
      shown = find(text.value, text.selectionStart ?? text.value.length);
      selected = 0;
      draw();
    },
    /** Takes the keys that move in the list and choose from it; answers whether it did. */
    handleKey(event) {
      if (shown.length === 0) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        selected = (selected + step + shown.length) % shown.length;
        draw();
      } else if (event.key === 'Enter' && !event.shiftKey) {
        choose(shown[selected]);
      } else if (event.key === 'Tab' && !event.shiftKey) {
        complete(shown[selected]);
      } else if (event.key === 'Escape') {
        close();
      } else {
        return false;
      }
      event.preventDefault();
      return true;
    },
  };

  function find(value, caret) {
    const command = /^\/([a-z0-9_]*)$/i.exec(value)?.[1].toLowerCase();
    if (command !== undefined) {
      const fitting = commands.filter((one) => one.command.startsWith(command));
      return fitting.map(({ command: name, description, is_ephemeral: isWhispered = false }) => ({
        label: `/${name}`,
        detail: description,
        command: name,
        isWhispered,
      }));
    }
    const before = value.slice(0, caret);
    const name = /(?:^|\s)@(\w*)$/.exec(before)?.[1].toLowerCase();
    if (name === undefined) return [];
    const start = caret - name.length - 1;
    const fitting = names.filter((one) => [one.name, one.title].some((word) => word.toLowerCase().startsWith(name)));
    return fitting.map((one) => ({ label: `@${one.name}`, detail: one.title, start, end: caret }));
  }

  function choose(item) {
    if (item.command === undefined) return complete(item);
    close();
    return onCommand(item.command);
  }

  function complete({ label, start = 0, end = text.value.length }) {
    text.setRangeText(`${label} `, start, end, 'end');
    close();
    text.focus();
    onText();
  }

  function close() {
    shown = [];
    draw();
  }

  function draw() {
    list.hidden = shown.length === 0;
    list.replaceChildren(...shown.map(renderItem));
    list.children[selected]?.scrollIntoView({ block: 'nearest' });
    text.setAttribute('aria-expanded', String(shown.length > 0));
    if (shown.length > 0) text.setAttribute('aria-activedescendant', `suggestion-${selected}`);
    else text.removeAttribute('aria-activedescendant');
  }

  function renderItem(item, index) {
    return element(
      'li',
      {
        id: `suggestion-${index}`,
        role: 'option',
        'aria-selected': String(index === selected),
        // Before the field loses the focus.
        on: { mousedown: (event) => event.preventDefault(), click: () => choose(item) },
      },
      element('strong', {}, item.label),
      element('span', { dir: 'auto' }, item.detail),
      item.isWhispered ? element('span', { class: 'whispered' }, icon('eye'), 'only you') : null,
    );
  }
}
