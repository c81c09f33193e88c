import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { bench, CHAT, useBench } from './bench.ts';

useBench();

test('a person who signed in with a code sees their message and the answer in every tab', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const page = await bench.open({ url, cookie });
  const other = await bench.open({ url, cookie });
  page.say('/whoami');
  await until(() => other.texts().length === 2 && page.texts().length === 2);
  expect(page.texts()).toEqual(other.texts());
  expect(page.texts()[0]).toBe('/whoami');
  expect(page.texts()[1]).toContain('Ada');
  const [row] = await bench.harness.rows<{ user_key: string; chat_key: string }>(
    'select user_key, chat_key from inbox',
  );
  expect(row).toEqual({ user_key: 'web-1001', chat_key: CHAT });
});
