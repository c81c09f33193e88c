import { AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { createGrowingAnswer } from './growing-answer.ts';

function watch(pieces: readonly AIMessageChunk[]): readonly string[] {
  const shown: string[] = [];
  const grow = createGrowingAnswer({ tool: 'respond_to_user', field: 'message', show: (text) => shown.push(text) });
  pieces.forEach(grow);
  return shown;
}

const text = (content: string): AIMessageChunk => new AIMessageChunk({ content });
const call = (index: number, args: string, name?: string, id?: string): AIMessageChunk =>
  new AIMessageChunk({
    content: '',
    tool_call_chunks: [{ index, args, ...(name ? { name } : {}), ...(id ? { id } : {}), type: 'tool_call_chunk' }],
  });

describe('an answer that grows', () => {
  it('is shown with every word', () => {
    expect(watch([text('It is'), text(''), text(' port'), text(' 8101.')])).toEqual([
      'It is',
      'It is port',
      'It is port 8101.',
    ]);
  });

  it('never shows half of a character', () => {
    expect(watch([text('tea \uD83C'), text('\uDF75'), text('!')])).toEqual(['tea ', 'tea 🍵', 'tea 🍵!']);
  });

  it('is shown out of the message of a call, without its other arguments', () => {
    const shown = watch([
      call(0, '', 'respond_to_user', 'a'),
      call(0, '{"awaiting_response":true,"mess'),
      call(0, 'age":"For which'),
      call(0, String.raw` project\u003`),
      call(0, 'f","choices":[{"text":"shop"}]}'),
    ]);
    expect(shown).toEqual(['For which', 'For which project', 'For which project?']);
  });

  it('shows text and messages in their order, and nothing of other tools', () => {
    const shown = watch([
      text('One moment.'),
      call(0, '{"message":"hidden"}', 'create_project', 'a'),
      call(1, '{"message":"Do', 'respond_to_user', 'b'),
      call(1, 'ne"}'),
    ]);
    expect(shown.at(-1)).toBe('One moment.\n\nDone');
    expect(shown.join()).not.toContain('hidden');
  });

  it('tells calls apart that come whole and under one index', () => {
    const shown = watch([
      call(0, '{"message":"first"}', 'respond_to_user', 'a'),
      call(0, '{"message":"second"}', 'respond_to_user', 'b'),
    ]);
    expect(shown).toEqual(['first', 'first\n\nsecond']);
  });

  it('shows a call that comes in one piece', () => {
    const piece = new AIMessageChunk({
      content: '',
      tool_calls: [{ id: 'a', name: 'respond_to_user', args: { message: 'all of it' } }],
    });
    expect(watch([piece])).toEqual(['all of it']);
  });
});
