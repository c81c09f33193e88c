import { byId } from './element.js';
import { scrollBehavior } from './motion.js';

/** Close enough to the end to count as reading it. */
const AT_END_PX = 80;

/**
 * Where the reader is in the messages. It follows new ones only while the reader is at the end; otherwise the reader
 * stays where they are and a button counts what came.
 */
export function createScroll({ onReachBottom }) {
  const scroller = byId('scroller');
  const toBottom = byId('to-bottom');
  let missed = 0;
  let isPinned = true;

  scroller.addEventListener('scroll', () => {
    isPinned = distance() < AT_END_PX;
    if (isPinned) missed = 0;
    render();
    if (isPinned) onReachBottom();
  });
  toBottom.addEventListener('click', () => toEnd(scrollBehavior()));
  // The keyboard of a phone, a growing text field and a picture that arrives move the end.
  const observer = new ResizeObserver(() => isPinned && toEnd());
  observer.observe(scroller);
  observer.observe(byId('messages'));

  return {
    toEnd,
    isAtEnd: () => isPinned,
    /** Counts new messages below what the reader looks at. */
    miss(count) {
      missed += count;
      render();
    },
    /** Runs a drawing and leaves what the reader looks at where it is, whatever comes or goes above it. */
    keepPlace(run) {
      const anchor = isPinned ? undefined : findAnchor();
      const before = anchor?.getBoundingClientRect().top ?? 0;
      run();
      if (anchor?.isConnected) scroller.scrollTop += anchor.getBoundingClientRect().top - before;
    },
    /** Brings an element into view and lights it up for a moment. */
    show(node) {
      isPinned = false;
      node.scrollIntoView({ block: 'center', behavior: scrollBehavior() });
      node.classList.add('flash');
      setTimeout(() => node.classList.remove('flash'), 1_600);
    },
  };

  /** The first message of which something is on the screen. */
  function findAnchor() {
    const { top } = scroller.getBoundingClientRect();
    return [...byId('messages').children].find(
      (node) => node.dataset.id !== undefined && node.getBoundingClientRect().bottom > top,
    );
  }

  function distance() {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
  }

  function toEnd(behavior = 'auto') {
    isPinned = true;
    missed = 0;
    scroller.scrollTo({ top: scroller.scrollHeight, behavior });
    render();
  }

  function render() {
    toBottom.hidden = isPinned;
    const count = byId('to-bottom-badge');
    count.hidden = missed === 0;
    count.textContent = String(missed);
  }
}
