/** How to scroll: smoothly, unless somebody asked their system for less motion. */
export function scrollBehavior() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
}
