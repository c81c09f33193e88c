import type { Point } from '../state/page.ts';

/** As long as phones wait before they call it a long press. */
const LONG_MS = 450;
/** A finger that moves farther is scrolling. */
const SLOP_PX = 10;

/**
 * Calls `onPress` with the element and the point for a right click or a long press. Links keep the menu of the browser,
 * and so does a text that somebody selected.
 */
export function followLongPresses(root: HTMLElement, onPress: (target: Element, at: Point) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start: Point = { x: 0, y: 0 };
  const end = (): void => clearTimeout(timer);

  root.addEventListener('contextmenu', (event) => {
    end();
    if (!(event.target instanceof Element) || event.target.closest('a') || !getSelection()?.isCollapsed) return;
    event.preventDefault();
    onPress(event.target, { x: event.clientX, y: event.clientY });
  });
  // Not every browser makes a context menu of a long press.
  root.addEventListener('pointerdown', ({ target, pointerType, clientX: x, clientY: y }) => {
    end();
    if (pointerType !== 'touch' || !(target instanceof Element) || target.closest('a')) return;
    start = { x, y };
    timer = setTimeout(() => {
      root.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => root.removeEventListener('click', swallow, { capture: true }), LONG_MS);
      onPress(target, start);
    }, LONG_MS);
  });
  root.addEventListener('pointermove', (event) => {
    if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > SLOP_PX) end();
  });
  for (const name of ['pointerup', 'pointercancel']) root.addEventListener(name, end);
}

/** The finger that held a button down lets go of it: that is no click. */
function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
