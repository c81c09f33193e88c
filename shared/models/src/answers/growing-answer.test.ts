import { AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { createDraftUpdater } from './growing-answer.ts';

function collectShown(pieces: readonly AIMessageChunk[]): readonly string[] {
  const shown: string[] = [];
  const grow = createDraftUpdater({ tool: 'respond_to_user', field: 'message', show: (text) => shown.push(text) });
  pieces.forEach(grow);
  return shown;
}

const text = (content: string): AIMessageChunk => new AIMessageChunk({ content });
const call = (index: number, args: string, name?: string, id?: string): AIMessageChunk =>
  new AIMessageChunk({
    content: '',
    tool_call_chunks: [{ index, args, ...(name ? { name } : {}), ...(id ? { id } : {}), type: 'tool_call_chunk' }],
  });

describe('a streamed answer of a model', () => {
  it('is shown again after each piece of the stream that changes it', () => {
    expect(collectShown([text('It is'), text(''), text(' port'), text(' 8101.')])).toEqual([
      'It is',
      'It is port',
      'It is port 8101.',
    ]);
  });

  it('never ends in half a surrogate pair', () => {
    expect(collectShown([text('tea \uD83C'), text('\uDF75'), text('!')])).toEqual(['tea ', 'tea 🍵', 'tea 🍵!']);
  });

  it("shows the message argument of a respond_to_user call while it grows, without the call's other arguments", () => {
    const shown = collectShown([
      call(0, '', 'respond_to_user', 'a'),
      call(0, '{"awaiting_response":true,"mess'),
      call(0, 'age":"For which'),
      call(0, String.raw` project\u003`),
      call(0, 'f","choices":[{"text":"shop"}]}'),
    ]);
    expect(shown).toEqual(['For which', 'For which project', 'For which project?']);
  });

  it('shows its texts and messages in order, and hides the arguments of calls to other tools', () => {
    const shown = collectShown([
      text('One moment.'),
      call(0, '{"message":"hidden"}', 'create_project', 'a'),
      call(1, '{"message":"Do', 'respond_to_user', 'b'),
      call(1, 'ne"}'),
    ]);
    expect(shown.at(-1)).toBe('One moment.\n\nDone');
    expect(shown.join()).not.toContain('hidden');
  });

  it('shows complete tool calls apart even when the provider gives them the same index', () => {
    const shown = collectShown([
      call(0, '{"message":"first"}', 'respond_to_user', 'a'),
      call(0, '{"message":"second"}', 'respond_to_user', 'b'),
    ]);
    expect(shown).toEqual(['first', 'first\n\nsecond']);
  });

  it('shows the message of a tool call that arrives in one piece', () => {
    const piece = new AIMessageChunk({
      content: '',
      tool_calls: [{ id: 'a', name: 'respond_to_user', args: { message: 'all of it' } }],
    });
    expect(collectShown([piece])).toEqual(['all of it']);
  });
});
