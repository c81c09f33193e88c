import { startPage } from '@signalbox/page-kit/start-page';
import { App } from './app.tsx';
import { LANGUAGE } from './say.ts';
import { Page } from './state/page.ts';

document.documentElement.lang = LANGUAGE;
await startPage(
  (onChange) => new Page(onChange),
  (page) => <App page={page} />,
);
