import { findHintMeaning, say } from '@signalbox/messages/say';
import type { IndexedTool, ToolIndex } from './rank/tool-index.ts';

const HELP_EXAMPLES = 5;
const NOT_INSTALLED_EXAMPLES = 4;

/** Returns the help text, for a greeting or a request for help. */
export function sayHelp(index: ToolIndex, greeting: boolean): string {
  const examples = examplesOf(index, HELP_EXAMPLES);
  const start = greeting ? `${say('planner.greeting')} ` : '';
  const end = greeting ? `\n\n${say('planner.built-in')}` : '';
  return examples.length === 0
    ? start + say('planner.nothing-installed')
    : `${start}${say('planner.can-do')}\n${asExamples(examples)}${end}`;
}

/** Returns the answer that a known capability is not installed, with those that are. */
export function sayNotInstalled(tool: IndexedTool, index: ToolIndex): string {
  const examples = examplesOf(index, NOT_INSTALLED_EXAMPLES);
  const missing = say('planner.not-installed', { activity: asActivity(tool.group ?? tool.name) });
  return examples.length === 0 ? missing : `${missing} ${say('planner.alternatives')}\n${asExamples(examples)}`;
}

/** Order of the tool groups in the help text: the most requested first, system administration last. */
const ORDER = ['project_management', 'deploy', 'diagnose', 'infrastructure', 'workspace', '', 'admin'];
const placeOf = (group: string): number => ORDER.indexOf(ORDER.includes(group) ? group : '');

/** Lists hints of installed tools, one tool group after the other, so that every capability appears. */
function examplesOf(index: ToolIndex, limit: number): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { group, firstHint, installed } of index.tools)
    if (installed && group !== null) groups.set(group, [...(groups.get(group) ?? []), firstHint]);
  const rows = [...groups].sort(([one], [other]) => placeOf(one) - placeOf(other)).map(([, hints]) => hints);
  const longest = Math.max(0, ...rows.map((row) => row.length));
  const inTurn = Array.from({ length: longest }, (_, at) => rows.flatMap((row) => row[at] ?? []));
  return inTurn.flat().slice(0, limit);
}

/** Turns a field name into words: `memoryMb` becomes memory, `first_port` becomes first port. */
export function formatFieldName(field: string): string {
  return field
    .replace(/(?:Mb|Gb|Kb|Ms|Bytes|Seconds|Minutes|Hours)$/, '')
    .replace(/_|(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
}

/** Turns a group name into an activity: `project_management` becomes Project management, `deploy` becomes Deploying. */
function asActivity(group: string): string {
  const words = group
    .replace(/^deploy$/, 'deploying')
    .replace(/^diagnose$/, 'diagnosing')
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Formats example requests as a Markdown list, each with its meaning for a reader of another language. */
export function asExamples(examples: readonly string[]): string {
  const meant = (example: string): string => {
    const meaning = findHintMeaning(example);
    return meaning === null ? '' : ` – ${meaning}`;
  };
  return examples.map((example) => `- ${example}${meant(example)}`).join('\n');
}

/** Cuts a text to one line of at most `limit` characters, at a word boundary if possible. */
export function asLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  if (letters.length <= limit) return line;
  const cut = letters.slice(0, limit - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
