import type { VNode } from 'preact';

/** SVG paths in a square of 24 by 24. */
const PATHS = {
  attach: 'M19 11l-7.5 7.5a4.2 4.2 0 0 1-6-6L13 5a2.8 2.8 0 0 1 4 4l-7.5 7.5a1.4 1.4 0 0 1-2-2L14 8',
  back: 'M15 5l-7 7 7 7',
  block: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM6.5 6.5l11 11',
  bot: 'M5 9h14v9H5zM12 9V5M12 5h.01M9 13v1.5M15 13v1.5M3 13v2M21 13v2',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  cross: 'M7 7l10 10M17 7L7 17',
  document: 'M7 3h7l4 4v14H7zM14 3v4h4',
  down: 'M6 9l6 6 6-6',
  download: 'M12 4v12M7 11l5 5 5-5M5 20h14',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  eye: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  forward: 'M14 7l5 5-5 5M19 12h-9a5 5 0 0 0-5 5v1',
  group:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19a5.5 5.5 0 0 1 11 0M16 11.5a2.5 2.5 0 1 0-1-4.8M17 14a4.5 4.5 0 0 1 3.5 4.5',
  info: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 11v5M12 8v.01',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M9 12h9',
  microphone: 'M12 15a3 3 0 0 0 3-3V6a3 3 0 1 0-6 0v6a3 3 0 0 0 3 3zM6 11.5a6 6 0 0 0 12 0M12 17.5V21',
  open: 'M9 6h9v9M18 6L7 17',
  photo: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  reply: 'M10 7L5 12l5 5M5 12h9a5 5 0 0 1 5 5v1',
  ring: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16z',
  send: 'M12 19V5M6 11l6-6 6 6',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2.2 2.2L15 10.5',
  slash: 'M15 5L9 19',
  speaker: 'M4 10v4h3.5L12 18V6l-4.5 4zM15.5 9.5a4 4 0 0 1 0 5M18 7a7.5 7.5 0 0 1 0 10',
  stop: 'M7 7h10v10H7z',
  turn: 'M12 4a8 8 0 1 1-8 8',
  voice: 'M8 5l11 7-11 7z',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.01',
};
export type IconName = keyof typeof PATHS;

/** An icon that screen readers skip, because a text or the button's label names it. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" class={name === 'voice' || name === 'stop' ? 'solid' : undefined}>
      <path d={PATHS[name]} />
    </svg>
  );
}
