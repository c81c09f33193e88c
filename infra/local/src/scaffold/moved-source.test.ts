import { describe, expect, it } from 'vitest';
import { rewriteImports } from './moved-source.ts';

const CHANNEL = { from: 'tests/examples/postbox/channel.ts', to: 'services/gateway/src/channels/wire/channel.ts' };
const CLIENT = { from: 'tests/examples/postbox/client.ts', to: 'services/gateway/src/channels/wire/client.ts' };
const BENCH = { from: 'tests/benches/postbox.ts', to: 'tests/benches/wire.ts' };
const TEST = { from: 'tests/benches/postbox.test.ts', to: 'tests/benches/wire.test.ts' };
const AGENT = { from: 'tests/examples/echo.ts', to: 'services/worker/src/agents/night-scribe/index.ts' };
const TALK = { from: 'tests/agents/echo.test.ts', to: 'tests/agents/night-scribe.test.ts' };
const DRIVER = { from: 'tests/examples/spare-driver.ts', to: 'services/jobs/src/drivers/wire/wire-driver.ts' };
const MOVES = [CHANNEL, CLIENT, BENCH, TEST, AGENT, TALK, DRIVER];

describe('an import in a moved file', () => {
  it.each([
    ['by its place, beside it', CHANNEL, './client.ts', './client.ts'],
    [
      'by its place, where it was named by the package',
      CHANNEL,
      '@signalbox/gateway/channels/text/cut',
      '../text/cut.ts',
    ],
    ['by its place, a folder above', CHANNEL, '@signalbox/gateway/channels/channel', '../channel.ts'],
    [
      'by its package, from outside',
      BENCH,
      '../examples/postbox/channel.ts',
      '@signalbox/gateway/channels/wire/channel',
    ],
    ['by its place, in each service', AGENT, '@signalbox/worker/agents/agent', '../agent.ts'],
    ['by its place, beside its folder', DRIVER, '@signalbox/jobs/drivers/ssh/link', '../ssh/link.ts'],
    ['by its package, from a test', TALK, '../examples/echo.ts', '@signalbox/worker/agents/night-scribe/index'],
    ['as before, in another service', DRIVER, '@signalbox/worker/wire', '@signalbox/worker/wire'],
    ['by its new name', TEST, './postbox.ts', './wire.ts'],
    ['as before, when it stays where it was', BENCH, '../support/until.ts', '../support/until.ts'],
    ['as before, in another package', CHANNEL, '@signalbox/platform/log', '@signalbox/platform/log'],
    ['as before, outside of the product', CHANNEL, 'node:http', 'node:http'],
  ])('names the imported file %s', (_, move, before, after) => {
    const text = (specifier: string): string =>
      `import { x } from '${specifier}';\nconst y = await import('${specifier}');\n`;
    expect(rewriteImports(text(before), move, MOVES)).toBe(text(after));
  });
});
