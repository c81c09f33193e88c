import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_TAGS } from '@signalbox/contracts/repository/tag';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
  await bench.call('create_project_intent', { name: 'shop', description: 'Tea.' });
});
afterEach(() => bench.close());

const call =
  (tool: string) =>
  (tag: string, more: { readonly project?: string; readonly actionId?: string } = {}) => {
    const { project = 'shop', actionId } = more;
    return bench.call(tool, { project, tag }, actionId ? { actionId } : {});
  };
const give = call('tag_project');
const remove = call('remove_tag');
const kept = () => bench.ports.repositories.tags.list('shop');

it('a tag is stored once in lower case and composed form, with who added it', async () => {
  expect((await give('Cafe\u0301')).said).toBe('shop is tagged café.');
  expect((await give('CAFÉ')).said).toBe('shop is tagged café.');
  expect((await give('on-call')).said).toBe('shop is tagged on-call. Its tags: café, on-call.');
  const { rows } = await bench.pool.query('select project, tag, user_key from project_tags order by tag');
  expect(rows).toEqual([
    { project: 'shop', tag: 'café', user_key: '1001' },
    { project: 'shop', tag: 'on-call', user_key: '1001' },
  ]);
  expect((await remove('café')).said).toBe('shop is no longer tagged café. Its tags: on-call.');
});

it('a repeated action neither adds a tag that was removed since, nor removes a tag that was added since', async () => {
  await give('payments', { actionId: 'act_give' });
  await remove('payments', { actionId: 'act_take' });
  await give('payments', { actionId: 'act_give' });
  expect(await kept()).toEqual([]);
  await give('payments');
  await remove('payments', { actionId: 'act_take' });
  expect(await kept()).toEqual(['payments']);
  const { rows } = await bench.pool.query(
    `select count(*)::int as n from audit_events where kind like 'project.%tagged'`,
  );
  expect(rows).toEqual([{ n: 3 }]);
});

it('a project gets the maximum of many tags at once, and the others are refused with its tags', async () => {
  const names = Array.from({ length: MAX_TAGS + 3 }, (_, at) => `tag-${at}`);
  const results = await Promise.allSettled(names.map((name) => give(name)));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as { code: string }] : [],
  );
  expect(refused.map(({ code }) => code)).toEqual(['TOO_MANY_TAGS', 'TOO_MANY_TAGS', 'TOO_MANY_TAGS']);
  const [first = ''] = await kept();
  expect(await kept()).toHaveLength(MAX_TAGS);
  // One that it has is no further one.
  await give(first);
  await remove(first);
  await give('another');
  expect(await kept()).toContain('another');
});

it('an unknown tag and an unknown project are named in the refusal', async () => {
  await give('payments');
  await expect(remove('payment')).rejects.toThrow(/payment.*payments/);
  await expect(give('payments', { project: 'shoop' })).rejects.toThrow(/shoop.*shop/);
});
