/**
 * Keeps the field above the keyboard of a phone that lays its keyboard over the page, as Safari does; others make the
 * page smaller by themselves.
 */
export function followViewport() {
  const view = window.visualViewport;
  const root = document.documentElement;
  const fit = () => {
    // Pinching makes the view smaller too, and must not make the page smaller.
    const isCovered = Math.abs(view.scale - 1) < 0.01 && innerHeight - view.height > 1;
    if (isCovered) root.style.setProperty('--height', `${view.height}px`);
    else root.style.removeProperty('--height');
    if (isCovered) scrollTo(0, 0);
  };
  view?.addEventListener('resize', fit);
}
