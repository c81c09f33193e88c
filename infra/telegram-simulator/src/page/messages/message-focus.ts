const MESSAGES = '.message:not(.draft)';

/**
 * Makes the messages one stop of the Tab key, however many there are: the arrow keys go from one to the next, Home and
 * End to the ends, and Enter opens what can be done with one.
 */
export function followFocus(container: HTMLElement, onMenu: (message: HTMLElement) => void): void {
  container.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.matches(MESSAGES)) makeStop(container, target);
  });
  container.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || !target.matches(MESSAGES)) return;
    const all = [...container.querySelectorAll<HTMLElement>(MESSAGES)];
    const index = all.indexOf(target);
    const steps: Record<string, number> = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: all.length - 1 };
    const next = all[steps[key] ?? -1];
    if (!next && key !== 'Enter') return;
    event.preventDefault();
    if (next) {
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: 'nearest' });
      return;
    }
    onMenu(target);
  });
}

/** The newest message is where the Tab key arrives, as long as the focus is not in the messages. */
export function refreshStop(container: HTMLElement): void {
  if (container.contains(document.activeElement)) return;
  makeStop(container, [...container.querySelectorAll<HTMLElement>(MESSAGES)].at(-1));
}

function makeStop(container: HTMLElement, message: HTMLElement | undefined): void {
  for (const one of container.querySelectorAll<HTMLElement>('.message[tabindex="0"]')) one.tabIndex = -1;
  if (message) message.tabIndex = 0;
}
