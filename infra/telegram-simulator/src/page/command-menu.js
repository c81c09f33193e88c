import { byId, element } from './element.js';

/** The list above the field while its text is the beginning of a command. */
export function createCommandMenu({ onChoose }) {
  const list = byId('commands');
  const text = byId('text');
  let commands = [];
  let shown = [];
  let selected = 0;

  text.setAttribute('aria-controls', 'commands');

  return {
    setCommands(next) {
      commands = next;
    },
    hasCommands: () => commands.length > 0,
    /** Offers the commands that begin with what is typed. */
    refresh(value) {
      const typed = /^\/([a-z0-9_]*)$/i.exec(value)?.[1];
      shown = typed === undefined ? [] : commands.filter(({ command }) => command.startsWith(typed.toLowerCase()));
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
        text.value = `/${shown[selected].command} `;
        close();
      } else if (event.key === 'Escape') {
        close();
      } else {
        return false;
      }
      event.preventDefault();
      return true;
    },
  };

  function choose({ command }) {
    close();
    onChoose(command);
  }

  function close() {
    shown = [];
    draw();
  }

  function draw() {
    list.hidden = shown.length === 0;
    list.replaceChildren(
      ...shown.map((item, index) =>
        element(
          'li',
          {
            id: `command-${index}`,
            role: 'option',
            'aria-selected': String(index === selected),
            // Before the field loses the focus.
            on: { mousedown: (event) => event.preventDefault(), click: () => choose(item) },
          },
          element('strong', {}, `/${item.command}`),
          element('span', { dir: 'auto' }, item.description),
        ),
      ),
    );
    list.children[selected]?.scrollIntoView({ block: 'nearest' });
    if (shown.length > 0) text.setAttribute('aria-activedescendant', `command-${selected}`);
    else text.removeAttribute('aria-activedescendant');
  }
}
