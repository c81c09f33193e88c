/**
 * Separates a model's text for people from the model's thoughts in tags, and from tool calls that its server did not recognize. Tags
 * within code count as text, because a person may have asked for them.
 */

export interface VisibleText {
  readonly text: string;
  /** The model's thoughts; may be empty. */
  readonly thought: string;
  /** True when the text contains a tool call. */
  readonly hasCall: boolean;
  /** True when the last thought or call is not closed, so that later text is missing. */
  readonly isOpen: boolean;
}

const THOUGHTS = 'think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner_monologue';
const CALLS =
  'tool_?calls?|tool-calls?|function_?calls?|tool_use|tool_code|invoke|function=[^<>\\s]{1,100}|tool_responses?|tool_results?|function_results?';
/** Returns a pattern for an opening tag with prefix and attributes: `<seed:think>`, `<invoke name="x">`. */
const opening = (names: string): string => `<(?:\\w{1,20}:)?(?:${names})(?:\\s[^<>\\n]{0,200})?>`;
const closing = (names: string): string => `</(?:\\w{1,20}:)?(?:${names})\\s{0,5}>`;
/** Returns a pattern for a token of a chat template: `<|im_end|>`, also with full-width bars. */
const token = (names: string): string => `<[|｜](?:${names})[|｜]>`;

const THOUGHT = {
  opens: `${opening(THOUGHTS)}|◁think▷|\\[THINK\\]|${token('begin_of_thought|START_THINKING|think(?:ing)?')}`,
  closes: `${closing(THOUGHTS)}|◁/think▷|\\[/THINK\\]|${token('end_of_thought|END_THINKING|/think(?:ing)?')}`,
};
const CALL = {
  opens: `${opening(CALLS)}|\\[TOOL_CALLS?\\]|${token('python_tag|(?:tool|function|action|plugin)(?![^|｜<>]{0,40}end)[^|｜<>]{0,40}')}`,
  closes: `${closing(`${CALLS}|function`)}|\\[/TOOL_CALLS?\\]|${token('(?:tool|function|action|plugin)[^|｜<>]{0,40}end[^|｜<>]{0,20}')}`,
};
/** Matches a channel mark of gpt-oss: `<|channel|>analysis<|message|>`. Only the final channel is for people. */
const CHANNEL = '<\\|channel\\|>(?<channel>[^<]{0,200})(?:<\\|constrain\\|>[^<]{0,50})?(?<body><\\|message\\|>)?';
const CHANNEL_ENDS = /<\|(?:end|return|call|start|channel)\|>/g;

const FENCE = '^[ \\t]{0,3}(?<fence>`{3,}|~{3,})[ \\t]*(?<info>[^\\n`]{0,100})[^\\n]*$';
const SPAN = '``[^\\n]{1,300}?``|`[^`\\n]{1,300}`';
const MARKS = new RegExp(
  [
    FENCE,
    `(?<span>${SPAN})`,
    `(?<thought>${THOUGHT.opens})`,
    `(?<thoughtEnd>${THOUGHT.closes})`,
    `(?<call>${CALL.opens})`,
    `(?<callEnd>${CALL.closes})`,
    CHANNEL,
    '(?<start><\\|start\\|>[a-z]{0,20})',
    `(?<token>${token('[a-zA-Z_]{2,40}')})`,
  ].join('|'),
  'gimu',
);
const CALL_FENCE = /^(?:tool_?calls?|tool_code|function_?calls?)$/i;
/** Matches an answer of gpt-oss whose channel marks the server removed: `analysisThe person asks …assistantfinalYes.` */
const UNMARKED = /^\s*analysis(?=[^\sa-z:,.])/;
const UNMARKED_FINAL = 'assistantfinal';
/** Matches the end of a streamed text where a tag may have started. */
const MARK_START = /(?:<[^<>\n]{0,120}|\[\/?[A-Z_]{0,12}|◁[^▷\n]{0,8}|(?:^|\n)[ \t]{0,3}[`~]{1,12}[^\n`]{0,20})$/u;

type Family = typeof THOUGHT;

/** Separates a text. `isGrowing`: more may follow, so a possible start of a mark is held back. Linear time. Pure. */
export function extractVisibleText(whole: string, isGrowing = false): VisibleText {
  if (UNMARKED.test(whole)) return readUnmarked(whole);
  if (isGrowing && whole !== '' && 'analysis'.startsWith(whole.trimStart())) return NOTHING;
  const said: string[] = [];
  const thoughts: string[] = [];
  /** Pieces of `said` before this index are final: a closing tag without an opening tag turns later pieces into thoughts. */
  let finalPieces = 0;
  let hasCall = false;
  let isOpen = false;
  let at = 0;
  /** Skips to the end of a thought or call and returns its content. */
  const skip = (from: number, end: MarkRange | null): string => {
    isOpen = end === null;
    at = end?.after ?? whole.length;
    return whole.slice(from, end?.before ?? whole.length);
  };
  for (let mark = findMark(whole, at); mark; mark = findMark(whole, at)) {
    said.push(whole.slice(at, mark.index));
    const { groups = {} } = mark;
    const after = mark.index + mark[0].length;
    at = after;
    if (groups['fence'] !== undefined) {
      if (isGrowing && after === whole.length) break; // the first line of the code block may continue
      const end = findFenceEnd(whole, after, groups['fence']);
      const isCall = CALL_FENCE.test(groups['info']?.trim() ?? '');
      if (isCall) skip(after, end);
      else said.push(whole.slice(mark.index, (at = end?.after ?? whole.length)));
      hasCall ||= isCall;
    } else if (groups['span'] !== undefined) said.push(mark[0]);
    else if (groups['thought'] !== undefined) {
      thoughts.push(skip(after, findEnd(whole, after, THOUGHT, isGrowing)));
      finalPieces = said.length;
    } else if (groups['thoughtEnd'] !== undefined) thoughts.push(...said.splice(finalPieces));
    else if (groups['call'] !== undefined) {
      skip(after, findEnd(whole, after, CALL, isGrowing));
      hasCall = true;
    } else if (groups['channel'] !== undefined && !/^\s*final\b/i.test(groups['channel'])) {
      CHANNEL_ENDS.lastIndex = after;
      const end = CHANNEL_ENDS.exec(whole);
      hasCall ||= /\bto=/.test(groups['channel']);
      thoughts.push(skip(after, end ? { before: end.index, after: end.index } : null));
      finalPieces = said.length;
    }
  }
  const rest = whole.slice(at);
  said.push(isGrowing ? rest.replace(MARK_START, '') : rest);
  const text = said.join('');
  const thought = thoughts.join('\n').trim();
  const isWhole = text === whole || (isGrowing && whole.startsWith(text));
  return { text: isWhole ? text : text.trim(), thought, hasCall, isOpen };
}

const NOTHING: VisibleText = { text: '', thought: '', hasCall: false, isOpen: false };

/** The start and end offset of a closing tag. */
interface MarkRange {
  readonly before: number;
  readonly after: number;
}

function findMark(whole: string, from: number): RegExpExecArray | null {
  MARKS.lastIndex = from;
  return MARKS.exec(whole);
}

const PAIR_PATTERNS = new Map<Family, RegExp>([THOUGHT, CALL].map((family) => [family, createPairPattern(family)]));

function createPairPattern({ opens, closes }: Family): RegExp {
  return new RegExp(`(?<opens>${opens})|(?<closes>${closes})`, 'giu');
}

/** Finds the closing tag, counting nested tags; the last closing tag when they are unbalanced. */
function findEnd(whole: string, from: number, family: Family, isGrowing: boolean): MarkRange | null {
  const pattern = PAIR_PATTERNS.get(family) ?? createPairPattern(family);
  pattern.lastIndex = from;
  let depth = 1;
  let last: MarkRange | null = null;
  for (let mark = pattern.exec(whole); mark; mark = pattern.exec(whole)) {
    depth += mark.groups?.['opens'] === undefined ? -1 : 1;
    if (mark.groups?.['closes'] !== undefined) last = { before: mark.index, after: mark.index + mark[0].length };
    if (depth === 0) return last;
  }
  return isGrowing ? null : last;
}

function findFenceEnd(whole: string, from: number, fence: string): MarkRange | null {
  const end = new RegExp(`^[ \\t]{0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*$`, 'gm');
  end.lastIndex = from;
  const mark = end.exec(whole);
  return mark && { before: mark.index, after: mark.index + mark[0].length };
}

function readUnmarked(whole: string): VisibleText {
  const end = whole.lastIndexOf(UNMARKED_FINAL);
  if (end === -1) return { ...NOTHING, thought: whole.trim(), isOpen: true };
  return { ...NOTHING, text: whole.slice(end + UNMARKED_FINAL.length).trim(), thought: whole.slice(0, end).trim() };
}
