import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractVisibleText } from './said-text.ts';

const ANSWER = 'The answer is 42.';

describe('extractVisibleText', () => {
  it.each([
    `<think>secret thoughts</think>${ANSWER}`,
    `<THINK>\nsecret\n</THINK>\n\n${ANSWER}`,
    `<thinking>secret</thinking> ${ANSWER}`,
    `<reasoning>secret</reasoning>${ANSWER}`,
    `<seed:think>secret</seed:think>${ANSWER}`,
    `<think>secret <think>secret</think> secret</think>${ANSWER}`,
    `<think>a <think> tag is a secret</think>${ANSWER}`,
    `<thinking>secret <reasoning>secret</reasoning></thinking>${ANSWER}`,
    `<think>secret \`\`\`js\nsecret</think>${ANSWER}`,
    `<think>secret</think><think>secret</think>${ANSWER}`,
    `secret thoughts whose beginning the template wrote\n</think>\n\n${ANSWER}`,
    `[THINK]secret[/THINK]${ANSWER}`,
    `◁think▷secret◁/think▷${ANSWER}`,
    `<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
    `<|channel|>commentary to=functions.list <|constrain|>json<|message|>{"secret":1}<|call|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
    `analysisThe person asks a secret.assistantfinal${ANSWER}`,
    `<|START_THINKING|>secret<|END_THINKING|>${ANSWER}`,
    `<tool_call>{"name": "secret", "arguments": {}}</tool_call>${ANSWER}`,
    `${ANSWER}\n<tool_call>\n{"name": "secret"}\n</tool_call>\n<tool_call>{"name": "secret"}</tool_call>`,
    `${ANSWER}<tool_call>{"name": "secret"`,
    `${ANSWER}<function=secret><parameter=x>1</parameter></function>`,
    `${ANSWER}<function_calls><invoke name="secret"><parameter name="x">1</parameter></invoke></function_calls>`,
    `${ANSWER}[TOOL_CALLS][{"name": "secret", "arguments": {}}]`,
    `${ANSWER}\n\`\`\`tool_call\n{"name": "secret"}\n\`\`\``,
    `${ANSWER}<|tool_calls_section_begin|><|tool_call_begin|>secret<|tool_call_end|><|tool_calls_section_end|>`,
    `${ANSWER}<｜tool▁calls▁begin｜>secret<｜tool▁calls▁end｜>`,
    `${ANSWER}<|python_tag|>secret.call()`,
    `${ANSWER}<think>secret for ever`,
    `${ANSWER}<|im_end|>`,
  ])('removes thoughts and tool calls from the answer %j', (whole) => {
    expect(extractVisibleText(whole).text).toBe(ANSWER);
  });

  it.each([
    '<think>thinking for ever',
    '<Think>secret <think>more</think>',
    '<tool_call>{"name": "list_projects", "arguments": {}}</tool_call>',
    '```tool_call\n{"name": "list_projects"}\n```',
    '<|channel|>analysis<|message|>secret',
    'analysisThe person asks for ever',
  ])('returns nothing for an answer that consists only of thoughts or tool calls: %j', (whole) => {
    expect(extractVisibleText(whole).text).toBe('');
  });

  it.each([
    'Reasoning models write like this:\n\n```html\n<think>thoughts</think>\nanswer\n```\n\nThat is all.',
    '````md\n```tool_call\n{"name": "x"}\n```\n````',
    'They begin with `<think>` and end with `</think>`; `<tool_call>` is for calls.',
    '~~~\n[TOOL_CALLS]\n<|channel|>analysis<|message|>\n~~~',
    '```\n<think>not closed',
    'a < b, <b>bold</b>, [1], x <- y, analysis of the log: fine. I think > he thinks.',
    'analysis: all is well',
  ])('leaves code and ordinary text unchanged: %j', (whole) => {
    expect(extractVisibleText(whole)).toEqual({ text: whole, thought: '', hasCall: false, isOpen: false });
  });

  it('reports a thought, a tool call written as text, and a missing end tag', () => {
    expect(extractVisibleText(`<think>secret</think>${ANSWER}`)).toMatchObject({ thought: 'secret', isOpen: false });
    expect(extractVisibleText('Wait.<tool_call>{}</tool_call>')).toMatchObject({ hasCall: true, isOpen: false });
    expect(extractVisibleText('Wait.<think>secret')).toMatchObject({ hasCall: false, isOpen: true });
  });

  it('never shows a letter of a thought or tool call while the answer is streamed', () => {
    const texts = [
      `<think>SECRET <think>SECRET</think> SECRET</think>${ANSWER}`,
      `${ANSWER}\n<tool_call>{"SECRET": 1}</tool_call>`,
      `<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
      `analysisSECRET_assistantfinal${ANSWER}`,
      `${ANSWER}\n\`\`\`tool_call\nSECRET\n\`\`\``,
      `${ANSWER}[TOOL_CALLS]SECRET`,
    ];
    for (const whole of texts)
      for (let end = 1; end <= whole.length; end += 1) {
        const shown = extractVisibleText(whole.slice(0, end), true).text;
        expect(ANSWER.startsWith(shown.trim())).toBe(true);
      }
  });

  it('leaves texts without tags unchanged, and takes linear time for hostile texts', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/[<[◁`~]/.test(text) && !/^\s*analysis/.test(text)),
        (text) => {
          expect(extractVisibleText(text).text).toBe(text);
        },
      ),
    );
    for (const piece of [
      '<think>',
      '</think>',
      '`',
      '```\n',
      '<|channel|>',
      '<tool_call>',
      '[TOOL_CALLS',
      '<a ',
      '\n',
    ]) {
      const startedAt = performance.now();
      extractVisibleText(piece.repeat(20_000));
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    }
  });
});
