const MESSAGES = '.message:not(.draft)';

/** Makes the message list one Tab stop: arrows, Home and End move between messages, Enter opens the menu. */
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

/** Makes the newest message the Tab stop, unless the list has the focus. */
export function refreshStop(container: HTMLElement): void {
  if (container.contains(document.activeElement)) return;
  makeStop(container, [...container.querySelectorAll<HTMLElement>(MESSAGES)].at(-1));
}

function makeStop(container: HTMLElement, message: HTMLElement | undefined): void {
  for (const one of container.querySelectorAll<HTMLElement>('.message[tabindex="0"]')) one.tabIndex = -1;
  if (message) message.tabIndex = 0;
}
