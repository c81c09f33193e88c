import { startPage } from '@signalbox/page-kit/start-page';
import { App } from './app.tsx';
import { Page } from './state/page.ts';

await startPage(
  (onChange) => new Page(onChange),
  (page) => <App page={page} />,
);
