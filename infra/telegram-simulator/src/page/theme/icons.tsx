import type { VNode } from 'preact';

/** The drawings, as paths in a square of 24. */
const PATHS = {
  back: 'M15 5l-7 7 7 7',
  send: 'M12 19V5M6 11l6-6 6 6',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M6 9l6 6 6-6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  reply: 'M10 7L5 12l5 5M5 12h9a5 5 0 0 1 5 5v1',
  forward: 'M14 7l5 5-5 5M19 12h-9a5 5 0 0 0-5 5v1',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  block: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM6.5 6.5l11 11',
  slash: 'M15 5L9 19',
  attach: 'M19 11l-7.5 7.5a4.2 4.2 0 0 1-6-6L13 5a2.8 2.8 0 0 1 4 4l-7.5 7.5a1.4 1.4 0 0 1-2-2L14 8',
  document: 'M7 3h7l4 4v14H7zM14 3v4h4',
  photo: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01',
  voice: 'M8 5l11 7-11 7z',
  stop: 'M7 7h10v10H7z',
  download: 'M12 4v12M7 11l5 5 5-5M5 20h14',
  out: 'M9 6h9v9M18 6L7 17',
  eye: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  bot: 'M5 9h14v9H5zM12 9V5M12 5h.01M9 13v1.5M15 13v1.5M3 13v2M21 13v2',
  group:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19a5.5 5.5 0 0 1 11 0M16 11.5a2.5 2.5 0 1 0-1-4.8M17 14a4.5 4.5 0 0 1 3.5 4.5',
};
export type IconName = keyof typeof PATHS;

/** One of the drawings. What it means is said beside it. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" class={name === 'voice' || name === 'stop' ? 'solid' : ''}>
      <path d={PATHS[name]} />
    </svg>
  );
}
