import { render, type VNode } from 'preact';

/**
 * Starts a page and draws it into the body after each change. `create` gets what the page calls when it changed; several changes at once
 * are drawn once, and before the next key is pressed.
 */
export async function startPage<Page extends { start(): Promise<void> }>(
  create: (onChange: () => void) => Page,
  draw: (page: Page) => VNode,
): Promise<void> {
  let isDue = false;
  const page = create(() => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      render(draw(page), document.body);
    });
  });
  await page.start();
}
