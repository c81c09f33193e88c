import type { VNode } from 'preact';

/** The product's logo, as in icon.svg. */
export function Logo(): VNode {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M8 21V11h16v10H14l-4 3v-3z" />
      <circle cx="16" cy="16" r="1" />
    </svg>
  );
}
