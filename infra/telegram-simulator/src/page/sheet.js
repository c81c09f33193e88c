import { byId, element, icon } from './element.js';

const MARGIN_PX = 8;

/**
 * The one panel that opens over the page: at a point with a mouse, at the bottom of a phone. Escape, the back button and
 * a press outside close it, and the focus goes back to where it was.
 */
export function createSheet() {
  const dialog = byId('sheet');
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const items = [...dialog.querySelectorAll('.sheet-item')];
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length]?.focus();
  });

  return {
    /** `at` is the point where it opens on a wide screen; without one it opens in the middle. */
    open({ label, content, at = null }) {
      dialog.setAttribute('aria-label', label);
      dialog.replaceChildren(...content.filter(Boolean));
      dialog.classList.toggle('at-point', at !== null);
      if (!dialog.open) dialog.showModal();
      if (at) place(dialog, at);
    },
    close: () => dialog.close(),
  };
}

/** A line of a panel that does something and closes it. */
export function sheetItem({ label, drawing, detail = null, kind, isCurrent = false, end = null, run }) {
  return element(
    'button',
    {
      type: 'button',
      class: 'sheet-item',
      'aria-current': isCurrent ? 'true' : false,
      data: { kind },
      on: {
        click: (event) => {
          event.currentTarget.closest('dialog').close();
          run();
        },
      },
    },
    typeof drawing === 'string' ? icon(drawing) : drawing,
    element(
      'span',
      { class: 'sheet-words' },
      element('span', { dir: 'auto' }, label),
      detail === null ? null : element('span', { class: 'sheet-detail', dir: 'auto' }, detail),
    ),
    end,
  );
}

function place(dialog, { x, y }) {
  const { width, height } = dialog.getBoundingClientRect();
  const left = Math.min(x, innerWidth - width - MARGIN_PX);
  const top = Math.min(y, innerHeight - height - MARGIN_PX);
  dialog.style.setProperty('--x', `${Math.max(left, MARGIN_PX)}px`);
  dialog.style.setProperty('--y', `${Math.max(top, MARGIN_PX)}px`);
}
