import { AppError } from '@signalbox/contracts/errors';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import { takeWholeLines } from '@signalbox/contracts/whole-lines';
import { explainError } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';
import { readDiff } from '../workspace/diff.ts';
import { writeDiff, type FileVersions } from '../workspace/write-diff.ts';
import { NODE_ARGS, type NodeTool } from './nodes.ts';
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
        return wrapOutside('repository', await search(tree, args.text));
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
  const diff = writeDiff(files);
  if (redactText(diff) !== diff) throw new AppError('DIFF_REFUSED', { detail: SECRET });
  await tree.apply(id, files);
}

const SECRET =
  'it writes or shows something that looks like a password, key or token. Secrets never stand in code: read them from a variable, and keep lines with secrets out of the diff';

async function readPart(tree: WorkTree, path: string, fromLine: number): Promise<unknown> {
  const text = await tree.read(path);
  if (text === null) return { error: 'there is no such text file' };
  const lines = redactText(text).split('\n');
  const shown = takeWholeLines(lines.slice(fromLine - 1).join('\n'), MAX_SHOWN);
  const last = fromLine - 1 + shown.split('\n').length;
  return { lines: `${fromLine}-${last} of ${lines.length}`, content: wrapOutside('repository', shown) };
}

async function search(tree: WorkTree, wanted: string): Promise<string> {
  const words = wanted.toLowerCase();
  const hits: string[] = [];
  for (const path of (await tree.list()).slice(0, MAX_SEARCHED)) {
    if (hits.length >= MAX_HITS) break;
    const text = await tree.read(path);
    if (text === null || !text.toLowerCase().includes(words)) continue;
    for (const [at, line] of text.split('\n').entries())
      if (line.toLowerCase().includes(words) && hits.length < MAX_HITS)
        hits.push(`${path}:${at + 1}: ${line.trim().slice(0, MAX_LINE)}`);
  }
  return hits.length === 0 ? 'nothing found' : takeWholeLines(redactText(hits.join('\n')), MAX_SHOWN);
}

function more(count: number): string {
  return count > 200 ? `\n(${count} files; name a folder to see all of it)` : '';
}
