import type { CapabilityIndex, IndexedTool } from './capability-index.ts';
import { WORDS, asActivity, asExamples } from './words.ts';

const HELP_EXAMPLES = 5;
const UNCLEAR_EXAMPLES = 6;

/** What somebody reads who greets or asks for help. */
export function helpText(index: CapabilityIndex, greeting: boolean): string {
  const examples = examplesOf(index, HELP_EXAMPLES);
  const start = greeting ? `${WORDS.greeting} ` : '';
  return examples.length === 0 ? start + WORDS.nothingInstalled : `${start}${WORDS.canDo}\n${asExamples(examples)}`;
}

/** What somebody reads whose message asks for nothing that we know. */
export function unclearText(index: CapabilityIndex): string {
  const examples = examplesOf(index, UNCLEAR_EXAMPLES);
  return examples.length === 0 ? WORDS.nothingInstalled : `${WORDS.onlyUnderstand}\n${asExamples(examples)}`;
}

/** Says plainly that a known capability is missing here, and what is there. */
export function notInstalledText(tool: IndexedTool, index: CapabilityIndex): string {
  const examples = examplesOf(index, 4);
  const missing = WORDS.notInstalled(asActivity(tool.group ?? tool.name));
  return examples.length === 0 ? missing : `${missing} ${WORDS.alternatives}\n${asExamples(examples)}`;
}

/** Hints of installed tools, one of each group in turn, so that every capability shows. */
function examplesOf(index: CapabilityIndex, limit: number): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const tool of index.tools.filter(({ installed, group }) => installed && group !== null)) {
    const key = tool.group ?? '';
    groups.set(key, [...(groups.get(key) ?? []), tool.firstHint]);
  }
  const rows = [...groups.values()];
  const longest = Math.max(0, ...rows.map((row) => row.length));
  const inTurn = Array.from({ length: longest }, (_, at) => rows.map((row) => row[at]));
  return inTurn
    .flat()
    .filter((hint) => hint !== undefined)
    .slice(0, limit);
}
