import { ProjectTag } from '@signalbox/contracts/repository/tag';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { describe, expect, it } from 'vitest';

// Tags as people write them without a model. What is not plain changes nothing.

const { catalog } = createRegistry(await loadCapabilities());
const story = PriorContext.parse({ names: { project: ['shop', 'blog'], server: ['local'] } });
const callsFor = (text: string) =>
  explainMessage(catalog, text, story).calls.filter(({ tool }) => tool !== 'request_capabilities');

describe('a request about a tag', () => {
  it.each([
    ['tag shop as payments', 'tag_project', 'payments'],
    ['please tag shop with on-call', 'tag_project', 'on-call'],
    ['add the tag платежи to shop', 'tag_project', 'платежи'],
    ['give shop the tag "payments"', 'tag_project', 'payments'],
    ['remove the tag payments from shop', 'remove_tag', 'payments'],
    ['drop the payments tag of shop', 'remove_tag', 'payments'],
  ])('adds or removes the tag in “%s”', (text, tool, tag) => {
    expect(callsFor(text)).toEqual([{ tool, arguments: { project: 'shop', tag } }]);
  });

  it.each([
    'don’t tag shop as payments',
    'tag shop as payments, or rather not',
    'shop should no longer be tagged payments',
    'take the tag payments off shop',
    'untag shop from payments',
    'should I tag shop as payments?',
    'delete from shop the tag payments',
    'don’t remove the tag payments from shop',
  ])('neither adds nor removes a tag in “%s”', (text) => {
    expect(callsFor(text).filter(({ tool }) => /_(?:project|tag)$/.test(tool))).toEqual([]);
  });
});

it.each([
  'show the repositories tagged payments',
  'which projects are tagged payments?',
  'list repos with the tag payments',
])('looks up the repositories of the tag in “%s”', (text) => {
  expect(callsFor(text)).toEqual([{ tool: 'list_repositories', arguments: { tags: ['payments'] } }]);
});

describe('a tag', () => {
  it.each([
    [' #Payments ', 'payments'],
    ['On-Call', 'on-call'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['Платежи', 'платежи'],
    ['付款', '付款'],
    ['भुगतान', 'भुगतान'],
  ])('%j is stored as %j', (written, kept) => {
    expect(ProjectTag.parse(written)).toBe(kept);
  });

  it.each(['', '-', 'a--b', 'two words', 'a_b', 'x'.repeat(41), '**bold**', 'a\u200bb', '\u0301a'])(
    '%j is not accepted',
    (written) => {
      expect(ProjectTag.safeParse(written).success).toBe(false);
    },
  );
});
