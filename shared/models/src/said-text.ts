/*
 * What a model writes as text and does not say to anybody: its thoughts in tags, and calls that its server did not read as calls. What
 * stands in code is said: a person may have asked for it.
 */

/** A text of a model, taken apart. */
export interface SaidText {
  /** What it says to people. */
  readonly text: string;
  /** What it thought; empty for nothing. */
  readonly thought: string;
  /** A call was written as text. */
  readonly hasCall: boolean;
  /** Its last thought or call has no end, so what was to follow is missing. */
  readonly isOpen: boolean;
}

const THOUGHTS = 'think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner_monologue';
const CALLS =
  'tool_?calls?|tool-calls?|function_?calls?|tool_use|tool_code|invoke|function=[^<>\\s]{1,100}|tool_responses?|tool_results?|function_results?';
/** A tag with its prefix and its attributes, as in `<seed:think>` and `<invoke name="x">`. */
const opening = (names: string): string => `<(?:\\w{1,20}:)?(?:${names})(?:\\s[^<>\\n]{0,200})?>`;
const closing = (names: string): string => `</(?:\\w{1,20}:)?(?:${names})\\s{0,5}>`;
/** A token of a chat template: `<|im_end|>`; some write it with wide bars. */
const token = (names: string): string => `<[|｜](?:${names})[|｜]>`;

const THOUGHT = {
  opens: `${opening(THOUGHTS)}|◁think▷|\\[THINK\\]|${token('begin_of_thought|START_THINKING|think(?:ing)?')}`,
  closes: `${closing(THOUGHTS)}|◁/think▷|\\[/THINK\\]|${token('end_of_thought|END_THINKING|/think(?:ing)?')}`,
};
const CALL = {
  opens: `${opening(CALLS)}|\\[TOOL_CALLS?\\]|${token('python_tag|(?:tool|function|action|plugin)(?![^|｜<>]{0,40}end)[^|｜<>]{0,40}')}`,
  closes: `${closing(`${CALLS}|function`)}|\\[/TOOL_CALLS?\\]|${token('(?:tool|function|action|plugin)[^|｜<>]{0,40}end[^|｜<>]{0,20}')}`,
};
/** The channel of a message, as gpt-oss writes it: `<|channel|>analysis<|message|>`. Only the final one is for people. */
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
/** The channels of gpt-oss where the server took their marks away: `analysisThe person asks …assistantfinalYes.` */
const UNMARKED = /^\s*analysis(?=[^\sa-z:,.])/;
const UNMARKED_FINAL = 'assistantfinal';
/** The end of a text that is still being written, where a mark may have begun. */
const BEGUN = /(?:<[^<>\n]{0,120}|\[\/?[A-Z_]{0,12}|◁[^▷\n]{0,8}|(?:^|\n)[ \t]{0,3}[`~]{1,12}[^\n`]{0,20})$/u;

type Family = typeof THOUGHT;

/** Takes a text apart. `isGrowing`: more of it may come, so the beginning of a mark is held back. Linear in its length. Pure. */
export function readSaid(whole: string, isGrowing = false): SaidText {
  if (UNMARKED.test(whole)) return readUnmarked(whole);
  if (isGrowing && whole !== '' && 'analysis'.startsWith(whole.trimStart())) return NOTHING;
  const said: string[] = [];
  const thoughts: string[] = [];
  /** Pieces of `said` before this one are certain: an end without a beginning makes thoughts of those behind. */
  let certain = 0;
  let hasCall = false;
  let isOpen = false;
  let at = 0;
  /** Skips what is not said, from the end of its first mark. Answers what it was. */
  const skip = (from: number, end: Span | null): string => {
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
      if (isGrowing && after === whole.length) break; // its first line may go on
      const end = findFenceEnd(whole, after, groups['fence']);
      const isCall = CALL_FENCE.test(groups['info']?.trim() ?? '');
      if (isCall) skip(after, end);
      else said.push(whole.slice(mark.index, (at = end?.after ?? whole.length)));
      hasCall ||= isCall;
    } else if (groups['span'] !== undefined) said.push(mark[0]);
    else if (groups['thought'] !== undefined) {
      thoughts.push(skip(after, findEnd(whole, after, THOUGHT, isGrowing)));
      certain = said.length;
    } else if (groups['thoughtEnd'] !== undefined) thoughts.push(...said.splice(certain));
    else if (groups['call'] !== undefined) {
      skip(after, findEnd(whole, after, CALL, isGrowing));
      hasCall = true;
    } else if (groups['channel'] !== undefined && !/^\s*final\b/i.test(groups['channel'])) {
      CHANNEL_ENDS.lastIndex = after;
      const end = CHANNEL_ENDS.exec(whole);
      hasCall ||= /\bto=/.test(groups['channel']);
      thoughts.push(skip(after, end ? { before: end.index, after: end.index } : null));
      certain = said.length;
    }
  }
  const rest = whole.slice(at);
  said.push(isGrowing ? rest.replace(BEGUN, '') : rest);
  const text = said.join('');
  const thought = thoughts.join('\n').trim();
  const isWhole = text === whole || (isGrowing && whole.startsWith(text));
  return { text: isWhole ? text : text.trim(), thought, hasCall, isOpen };
}

const NOTHING: SaidText = { text: '', thought: '', hasCall: false, isOpen: false };

/** What stands before and after the mark that ends something. */
interface Span {
  readonly before: number;
  readonly after: number;
}

function findMark(whole: string, from: number): RegExpExecArray | null {
  MARKS.lastIndex = from;
  return MARKS.exec(whole);
}

const WALKS = new Map<Family, RegExp>([THOUGHT, CALL].map((family) => [family, walkOf(family)]));

function walkOf({ opens, closes }: Family): RegExp {
  return new RegExp(`(?<opens>${opens})|(?<closes>${closes})`, 'giu');
}

/** The end of what was opened, with all that is opened inside of it; where those do not add up, the last end. */
function findEnd(whole: string, from: number, family: Family, isGrowing: boolean): Span | null {
  const walk = WALKS.get(family) ?? walkOf(family);
  walk.lastIndex = from;
  let depth = 1;
  let last: Span | null = null;
  for (let mark = walk.exec(whole); mark; mark = walk.exec(whole)) {
    depth += mark.groups?.['opens'] === undefined ? -1 : 1;
    if (mark.groups?.['closes'] !== undefined) last = { before: mark.index, after: mark.index + mark[0].length };
    if (depth === 0) return last;
  }
  return isGrowing ? null : last;
}

function findFenceEnd(whole: string, from: number, fence: string): Span | null {
  const end = new RegExp(`^[ \\t]{0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*$`, 'gm');
  end.lastIndex = from;
  const mark = end.exec(whole);
  return mark && { before: mark.index, after: mark.index + mark[0].length };
}

function readUnmarked(whole: string): SaidText {
  const end = whole.lastIndexOf(UNMARKED_FINAL);
  if (end === -1) return { ...NOTHING, thought: whole.trim(), isOpen: true };
  return { ...NOTHING, text: whole.slice(end + UNMARKED_FINAL.length).trim(), thought: whole.slice(0, end).trim() };
}
