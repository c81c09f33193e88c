import { render } from 'preact';
import { App } from './app.tsx';
import { LANGUAGE } from './say.ts';
import { Page } from './state/page.ts';

document.documentElement.lang = LANGUAGE;
let isDue = false;
const page = new Page(() => {
  if (isDue) return;
  isDue = true;
  // Several changes at once are drawn once, and before the next key is pressed.
  queueMicrotask(() => {
    isDue = false;
    render(<App page={page} />, document.body);
  });
});

await page.start();
