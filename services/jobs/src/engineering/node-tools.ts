import { AppError } from '@signalbox/contracts/errors';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import { takeWholeLines } from '@signalbox/contracts/whole-lines';
import { explainError } from '@signalbox/messages/say';
import { REDACTED, redactLines, redactText } from '@signalbox/safety/redact/redact';
import { readDiff } from '../workspace/diff.ts';
import { writeDiff, type FileVersions } from '../workspace/write-diff.ts';
import { NODE_ARGS, type NodeTool } from './nodes.ts';
import { writeCleanDiff } from './clean-diff.ts';
import { fitDiff } from './fit-diff.ts';
import type { NodeCall } from './ask-node.ts';
import type { WorkTree } from './work-tree.ts';

/** Characters of one result: about 2,000 tokens. */
const MAX_SHOWN = 6_000;
const MAX_HITS = 60;
const MAX_SEARCHED = 3_000;
const MAX_LINE = 300;

/** Reads the arguments of a node's call. A node has no other tools than its own. Returns the problem as a text. */
export function readCall<T extends NodeTool>(
  call: NodeCall,
  name: T,
): (typeof NODE_ARGS)[T]['_output'] | { readonly problem: string } {
  const parsed = NODE_ARGS[name].safeParse(call.args);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  return { problem: problems.join('; ').slice(0, 500) };
}

/** Carries out the looks that planner and executor have. Null for other tools. What it reads is outside text. */
export async function readTree(tree: WorkTree, call: NodeCall): Promise<unknown> {
  try {
    switch (call.name) {
      case 'list_files': {
        const args = readCall(call, 'list_files');
        if ('problem' in args) return { error: args.problem };
        const files = await tree.list(args.folder);
        return wrapOutside('repository', takeWholeLines(redactText(files.join('\n')), MAX_SHOWN) + more(files.length));
      }
      case 'read_file': {
        const args = readCall(call, 'read_file');
        if ('problem' in args) return { error: args.problem };
        return await readPart(tree, args.path, args.from_line);
      }
      case 'search': {
        const args = readCall(call, 'search');
        if ('problem' in args) return { error: args.problem };
        return await search(tree, args.text);
      }
      default:
        return null;
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: wrapOutside('work tree', explainError(error).slice(0, 500)) };
  }
}

/** Applies a node's diff. Returns what the node is told; only a whole, clean diff within the bounds changes the tree. */
export async function applyNodeDiff(tree: WorkTree, call: NodeCall, id: string): Promise<unknown> {
  if (call.hadSecret) return { error: SECRET };
  const args = readCall(call, 'apply_diff');
  if ('problem' in args) return { error: args.problem };
  try {
    const files = await fitDiff(args.diff, (path) => tree.read(path));
    await applyClean(tree, id, files);
    return { applied: readDiff(writeDiff(files)).map(({ path, added, removed }) => ({ path, added, removed })) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: wrapOutside('work tree', explainError(error).slice(0, 800)) };
  }
}

/** Applies edits unless their diff shows a secret. Throws DIFF_REFUSED, PATH_DENIED. */
export async function applyClean(tree: WorkTree, id: string, files: readonly FileVersions[]): Promise<void> {
  const diff = writeCleanDiff(files);
  if (redactText(diff) !== diff) throw new AppError('DIFF_REFUSED', { detail: SECRET });
  await tree.apply(id, files);
}

const SECRET =
  'it writes or shows something that looks like a password, key or token. Secrets never stand in code: read them from a variable, and keep lines with secrets out of the diff';

async function readPart(tree: WorkTree, path: string, fromLine: number): Promise<unknown> {
  const text = await tree.read(path);
  if (text === null) return { error: 'there is no such text file' };
  const lines = redactLines(text);
  const shown = takeWholeLines(lines.slice(fromLine - 1).join('\n'), MAX_SHOWN);
  const last = fromLine - 1 + shown.split('\n').length;
  return {
    lines: `${fromLine}-${last} of ${lines.length}`,
    ...sayHidden(text.split('\n').slice(fromLine - 1, last), shown.split('\n')),
    content: wrapOutside('repository', shown),
  };
}

/** Says that values were hidden, so that nobody takes them for the text of the file. */
function sayHidden(real: readonly string[], shown: readonly string[]): { readonly hidden?: string } {
  const count = real.filter((line, at) => shown[at] !== line).length;
  if (count === 0) return {};
  return {
    hidden: `${count} ${count === 1 ? 'line has a value' : 'lines have values'} that may be secret, shown as ${REDACTED}. As context of a diff such a line fits as it is shown; it cannot be changed.`,
  };
}

async function search(tree: WorkTree, wanted: string): Promise<unknown> {
  const words = wanted.toLowerCase();
  const hits: { readonly real: string; readonly shown: string }[] = [];
  let found = 0;
  const files = await tree.list();
  for (const path of files.slice(0, MAX_SEARCHED)) {
    const text = await tree.read(path);
    if (text === null || !text.toLowerCase().includes(words)) continue;
    const clean = redactLines(text);
    for (const [at, line] of text.split('\n').entries()) {
      if (!line.toLowerCase().includes(words)) continue;
      found += 1;
      const place = `${path}:${at + 1}: `;
      if (hits.length < MAX_HITS) hits.push({ real: place + line, shown: place + (clean[at] ?? '') });
    }
  }
  if (found === 0) return 'nothing found';
  const lines = hits.map(({ shown }) => shown.slice(0, MAX_LINE));
  const shown = takeWholeLines(redactLines(lines.join('\n')).join('\n'), MAX_SHOWN).split('\n');
  const hidden = sayHidden(
    hits.slice(0, shown.length).map(({ real }) => real.slice(0, MAX_LINE)),
    shown,
  );
  const isWhole = shown.length === found && files.length <= MAX_SEARCHED;
  return {
    ...(isWhole ? {} : { lines: `${shown.length} of ${found}; search for a longer text to see the others` }),
    ...hidden,
    content: wrapOutside('repository', shown.join('\n')),
  };
}

function more(count: number): string {
  return count > 200 ? `\n(${count} files; name a folder to see all of it)` : '';
}
