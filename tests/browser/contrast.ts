import type { Page } from 'playwright-core';

/** Texts that are on the screen with less contrast than WCAG 2.2 AA asks for (4.5, or 3 for large ones), one line each. */
export function findPaleTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    type Color = readonly [red: number, green: number, blue: number, alpha: number];
    /** Any color of CSS as it is drawn on nothing. */
    const read = (color: string): Color => {
      if (!context) return [0, 0, 0, 0];
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const over = (top: Color, below: Color): Color => {
      const [red = 0, green = 0, blue = 0] = [0, 1, 2].map(
        (n) => (top[n] ?? 0) * top[3] + (below[n] ?? 0) * (1 - top[3]),
      );
      return [red, green, blue, 1];
    };
    const paperOf = (node: Element | null): Color => {
      if (!node) return [255, 255, 255, 1];
      const own = read(getComputedStyle(node).backgroundColor);
      return own[3] === 1 ? own : over(own, paperOf(node.parentElement));
    };
    const brightness = ([red, green, blue]: Color): number => {
      const [r = 0, g = 0, b = 0] = [red, green, blue]
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return [...document.querySelectorAll('body *')].flatMap((node) => {
      const text = [...node.childNodes].map((one) => (one.nodeType === Node.TEXT_NODE ? one.textContent : '')).join('');
      if (text.trim() === '' || !node.checkVisibility() || node.classList.contains('unseen')) return [];
      const { color, fontSize, fontWeight } = getComputedStyle(node);
      const paper = paperOf(node);
      const [one, other] = [brightness(over(read(color), paper)), brightness(paper)];
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      const size = Number.parseFloat(fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
      return contrast < (isLarge ? 3 : 4.5) ? [`${contrast.toFixed(2)}: ${text.trim().slice(0, 60)}`] : [];
    });
  });
}
