/** As long as phones wait before they call it a long press. */
const LONG_MS = 450;
/** A finger that moves farther is scrolling. */
const SLOP_PX = 10;

/**
 * Calls `onPress` with the element and the point for a right click or a long press. Links keep the menu of the browser,
 * and so does a text that somebody selected.
 */
export function followLongPresses(root, onPress) {
  let timer = null;
  let start = null;

  const end = () => clearTimeout(timer);
  root.addEventListener('contextmenu', (event) => {
    end();
    if (event.target.closest('a') || !getSelection().isCollapsed) return;
    event.preventDefault();
    onPress(event.target, { x: event.clientX, y: event.clientY });
  });
  // Safari on a phone knows no context menu.
  root.addEventListener('pointerdown', (event) => {
    end();
    if (event.pointerType !== 'touch' || event.target.closest('a')) return;
    start = { x: event.clientX, y: event.clientY };
    timer = setTimeout(() => {
      root.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => root.removeEventListener('click', swallow, { capture: true }), LONG_MS);
      onPress(event.target, start);
    }, LONG_MS);
  });
  root.addEventListener('pointermove', (event) => {
    if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > SLOP_PX) end();
  });
  for (const name of ['pointerup', 'pointercancel']) root.addEventListener(name, end);
}

/** The finger that held a button down lets go of it: that is no click. */
function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
