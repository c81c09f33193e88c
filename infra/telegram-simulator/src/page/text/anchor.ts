const LIT_MS = 1_600;

/** How to scroll: smoothly, unless somebody asked their system for less motion. */
export function scrollBehavior(): ScrollBehavior {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
}

/** Shows a footnote of the message that a link is in. */
export function showAnchor(link: EventTarget | null, name: string): void {
  const message = link instanceof Element ? link.closest('.message') : null;
  const places = [...(message?.querySelectorAll<HTMLElement>('[data-anchor]') ?? [])];
  const shown = places.find(({ dataset }) => dataset['anchor'] === name);
  if (!shown) return;
  for (let node: Element | null = shown; node && node !== message; node = node.parentElement)
    if (node instanceof HTMLDetailsElement) node.open = true;
  shown.scrollIntoView({ block: 'nearest', behavior: scrollBehavior() });
  const lit = shown.closest('p, li, td, th, blockquote') ?? shown;
  lit.classList.add('lit');
  setTimeout(() => lit.classList.remove('lit'), LIT_MS);
}
