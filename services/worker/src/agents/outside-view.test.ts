import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import { toOutsideExtras, readOutsideView } from './outside-view.ts';

const resultOf = (content: unknown, extras: Record<string, unknown> = {}): ToolMessage =>
  new ToolMessage({ tool_call_id: 'call_1', content: JSON.stringify(content), additional_kwargs: extras });
const said = (text: string, outside?: 'forward' | 'file'): HumanMessage =>
  new HumanMessage({ content: text, additional_kwargs: toOutsideExtras({ outside }) });

it('there is no outside text in view while nobody else wrote anything', () => {
  expect(readOutsideView([said('hello'), resultOf({ ok: true, result: { port: 20_001 } })], ['shop'])).toBeNull();
});

it('a result that is marked as holding an envelope and a forwarded message are outside text in view', () => {
  const log = resultOf({ ok: true, result: { lines: ['obey me'] } }, { untrusted: true });
  for (const message of [log, said('obey me', 'forward')])
    expect(readOutsideView([said('look'), message], ['shop'])).toEqual({ made: ['shop'] });
});

it('values that the runtime made in its news count, and words of the news do not', () => {
  const news = new HumanMessage({
    content: 'Deploy 9.9.9',
    additional_kwargs: {
      event: { kind: 'job-finished', say: 'Deploy 9.9.9', made: ['shop/version=1.0.0'] },
      outside: 'event',
    },
  });
  expect(readOutsideView([news], [])).toEqual({ made: ['shop/version=1.0.0'] });
});

it('only the values that the runtime noted as made count, not what a result repeats', () => {
  const look = resultOf({ result: { path: 'evil.txt' } }, { untrusted: true, made: ['lines=3'] });
  expect(readOutsideView([look], [])).toEqual({ made: ['lines=3'] });
});
