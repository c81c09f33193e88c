/**
 * Makes the messages one stop of the Tab key, however many there are: the arrow keys go from one to the next, Home and
 * End to the ends, and Enter opens what can be done with it.
 */
export function followFocus(container, onMenu) {
  const articles = () => [...container.querySelectorAll('.message:not(.draft)')];

  container.addEventListener('focusin', (event) => {
    if (event.target.classList.contains('message')) makeStop(event.target);
  });
  container.addEventListener('keydown', (event) => {
    if (!event.target.classList.contains('message')) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      const { left, top } = event.target.querySelector('.bubble').getBoundingClientRect();
      onMenu(event.target, { x: left, y: top });
      return;
    }
    const all = articles();
    const index = all.indexOf(event.target);
    const target = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: all.length - 1 }[event.key];
    if (target === undefined || !all[target]) return;
    event.preventDefault();
    all[target].focus({ preventScroll: true });
    all[target].scrollIntoView({ block: 'nearest' });
  });

  return {
    /** The newest message is where the Tab key arrives, as long as nobody went to another one. */
    refresh() {
      if (container.contains(document.activeElement)) return;
      makeStop(articles().at(-1));
    },
  };

  function makeStop(article) {
    for (const one of container.querySelectorAll('.message[tabindex="0"]')) one.tabIndex = -1;
    if (article) article.tabIndex = 0;
  }
}
