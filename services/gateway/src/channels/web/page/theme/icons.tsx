import type { VNode } from 'preact';

/** The drawings, as paths in a square of 24. */
const PATHS = {
  send: 'M12 19V5M6 11l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  clock: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l2.5 2.5',
  ring: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16z',
  turn: 'M12 4a8 8 0 1 1-8 8',
  slash: 'M15 5L9 19',
  document: 'M7 3h7l4 4v14H7zM14 3v4h4',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2.2 2.2L15 10.5',
  microphone: 'M12 15a3 3 0 0 0 3-3V6a3 3 0 1 0-6 0v6a3 3 0 0 0 3 3zM6 11.5a6 6 0 0 0 12 0M12 17.5V21',
  speaker: 'M4 10v4h3.5L12 18V6l-4.5 4zM15.5 9.5a4 4 0 0 1 0 5M18 7a7.5 7.5 0 0 1 0 10',
  out: 'M10 5H5v14h5M14 8l4 4-4 4M9 12h9',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.01',
  info: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 11v5M12 8v.01',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
};
export type IconName = keyof typeof PATHS;

/** One of the drawings. What it means is said beside it. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The sign of the product, as in icon.svg. */
export function Logo(): VNode {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M8 21V11h16v10H14l-4 3v-3z" />
      <circle cx="16" cy="16" r="1" />
    </svg>
  );
}
