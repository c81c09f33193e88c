import { render, type VNode } from 'preact';

/**
 * Starts a page and renders it into the body after each change. `create` receives a function to call after a change. Several changes are
 * rendered once, before the next key press.
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
