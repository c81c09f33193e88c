import { byId } from './element.js';
import { scrollBehavior } from './motion.js';
import { announce, showToast } from './notice.js';
import { createPlayer } from './voice.js';

const COPIED_MS = 1_600;

/**
 * What the parts of a message do when they are pressed, by the name in `data-do`. `own` adds what needs the rest of the
 * page. Each gets the pressed element and the id of its message.
 */
export function followActions(container, own) {
  const player = createPlayer();
  const actions = {
    reveal: (target) => target.setAttribute('data-open', ''),
    expand: toggleQuotation,
    copy: (target) => copyText(target.dataset.value, 'Copied'),
    copyCode: async (target) => {
      const isCopied = await copyText(target.closest('.code').querySelector('pre').textContent, null);
      if (isCopied) showCopied(target);
    },
    anchor: showAnchor,
    photo: (target) => showPhoto(target.querySelector('img')),
    play: (target) => player.toggle(target),
    ...own,
  };
  const run = (event) => {
    const target = event.target.closest('[data-do]');
    if (!target || !container.contains(target)) return;
    event.preventDefault();
    void actions[target.dataset.do](target, Number(target.closest('.message')?.dataset.id));
  };
  container.addEventListener('click', run);
  // A spoiler is words and no button of the browser's.
  container.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.classList.contains('spoiler')) run(event);
  });
}

/** Copies a text and says so; the clipboard may be forbidden to a page. */
export async function copyText(text, praise) {
  try {
    await navigator.clipboard.writeText(text);
    if (praise) showToast(praise);
    announce('Copied');
    return true;
  } catch {
    showToast('The browser did not let the page copy it.', 'error');
    return false;
  }
}

function showCopied(target) {
  const word = target.querySelector('.copy-word');
  target.setAttribute('data-copied', '');
  word.textContent = 'Copied';
  setTimeout(() => {
    target.removeAttribute('data-copied');
    word.textContent = 'Copy';
  }, COPIED_MS);
}

function toggleQuotation(target) {
  const isOpen = target.closest('.expandable').toggleAttribute('data-open');
  target.setAttribute('aria-expanded', String(isOpen));
}

/** A footnote, or another place of the same message; an empty name is its beginning. */
function showAnchor(target) {
  const message = target.closest('.message');
  const name = target.dataset.value;
  const place = [...message.querySelectorAll('[data-anchor]')].find((one) => one.dataset.anchor === name);
  const shown = name === '' ? message : place;
  if (!shown) return;
  for (let node = shown; node && node !== message; node = node.parentElement)
    if (node.nodeName === 'DETAILS') node.open = true;
  shown.scrollIntoView({ block: 'nearest', behavior: scrollBehavior() });
  const lit = shown.closest('p, li, td, th, blockquote') ?? shown;
  lit.classList.add('lit');
  setTimeout(() => lit.classList.remove('lit'), COPIED_MS);
}

function showPhoto(photo) {
  byId('viewer-photo').src = photo.src;
  byId('viewer-photo').alt = photo.alt;
  byId('viewer').showModal();
}
