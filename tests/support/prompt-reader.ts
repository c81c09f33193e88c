import { HumanMessage, SystemMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelScript } from './scripted-model.ts';

/** What a question is about: the heading of a section begins with it, and those of its lines that are quoted. */
interface Topic {
  readonly asks: RegExp;
  readonly heading: string;
  readonly lines?: RegExp;
}

/**
 * How the reader finds its answer: by what a question is about, never by what the answer is. The first topic that fits decides. A word of a
 * question that a line of the section holds as well narrows the answer to such lines.
 */
const TOPICS: readonly Topic[] = [
  { asks: /\b(remember|told you|prefer|my \w+ (colou?r|manager|day))/i, heading: 'Facts that this person' },
  { asks: /\byesterday\b.*\bday\b|\bday\b.*\byesterday\b/i, heading: 'Time' },
  {
    asks: /\byesterday\b/i,
    heading: 'Other conversations',
    lines: /\(yesterday\)/,
  },
  { asks: /\b(last week|days ago)\b/i, heading: 'Other conversations', lines: /days ago/ },
  {
    asks: /\b(did we|did I|were we|was I|have I done|talk|conversation|unfinished|left open)\b/i,
    heading: 'Other conversations',
  },
  {
    asks: /\b(time zone|what time|which day|date|today|what year|weekday)\b/i,
    heading: 'Time',
  },
  { asks: /\b(freeze|frozen|window|night|weekend)\b/i, heading: 'Freeze' },
  { asks: /\b(wait\w* for me|decide|to approve|confirm|on my desk)\b/i, heading: 'Waits for this person' },
  { asks: /\b(my request|wait\w* for others|I asked|did anybody approve)\b/i, heading: 'Asked for by this person' },
  { asks: /\b(jobs?|index\w*|queue\w*)\b/i, heading: 'Jobs of this person' },
  { asks: /\b(deploying|rolling out|under way|being deployed|deployment)\b/i, heading: 'Deployments' },
  { asks: /\b(up|down|health\w*|broken|wrong|release|runs?|own|mine|my|server|incident\w*)\b/i, heading: 'Projects' },
];

/**
 * A model that has its prompt and nothing else: it calls no tool, and answers by quoting the lines of the section that a question is about.
 * `seen` is handed each system prompt.
 */
export function createPromptReader(seen: (prompt: string) => void): ModelScript {
  return (messages) => {
    const prompt = promptOf(messages);
    seen(prompt);
    return { content: quote(prompt, messages.findLast(HumanMessage.isInstance)?.text ?? '') };
  };
}

/** The lines of one section of a prompt, by the beginning of its heading. A section without lines is left out. */
export function sectionOf(prompt: string, heading: string): readonly string[] {
  const lines = prompt.split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading) && line.endsWith(':'));
  if (start === -1) return ['none'];
  const end = lines.findIndex((line, place) => place > start && !line.startsWith('- '));
  return lines.slice(start + 1, end === -1 ? undefined : end).map((line) => line.slice(2));
}

/** The rules and the facts of the moment. */
export function promptOf(messages: readonly BaseMessage[]): string {
  return messages
    .filter(SystemMessage.isInstance)
    .map(({ text }) => text)
    .join('\n\n');
}

function quote(prompt: string, question: string): string {
  const topic = TOPICS.find(({ asks }) => asks.test(question));
  if (!topic) return 'I cannot tell.';
  const about = sectionOf(prompt, topic.heading).filter((line) => topic.lines?.test(line) ?? true);
  const words = question.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  const meant = about.filter((line) => words.some((word) => NAMES.has(word) && line.toLowerCase().includes(word)));
  const told = meant.length > 0 ? meant : about;
  return told.length === 0 ? 'none' : told.join('\n');
}

/** Words that tell things of one kind apart. */
const NAMES: ReadonlySet<string> = new Set(
  'shop blog api staging production down confirm freeze night weekend manager color thursday deploy incident'.split(
    ' ',
  ),
);
