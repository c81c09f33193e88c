import { say } from '@signalbox/messages/say';
import type { FixableFinding, FixFiles, FixPlan } from './fix.ts';

const USES = /^([\s-]{0,60}uses:\s{0,4}["']?)([\w-]{1,60})\/([\w.-]{1,120})((?:\/[\w./-]{1,120})?)@([\w./-]{1,80})/;

/** Plans that an action of a workflow is named by a commit, which a forge has to tell. */
export async function planPin({ path, line }: FixableFinding, files: FixFiles): Promise<FixPlan> {
  const text = ((await files.read(path)) ?? '').split('\n')[(line ?? 0) - 1] ?? '';
  const [, , owner, repository, , ref] = USES.exec(text) ?? [];
  if (!owner || !repository || !ref || line === null || /^[0-9a-f]{40}$/.test(ref))
    return { kind: 'none', why: say('fixes.fixedAlready') };
  return { kind: 'pin', path, line, owner, repository, ref };
}

/** Writes the commit of an action into its line, with the tag as a comment. */
export async function writePin(
  { path, line, owner, repository, ref }: Extract<FixPlan, { kind: 'pin' }>,
  commit: string,
  files: FixFiles,
): Promise<FixPlan> {
  const lines = ((await files.read(path)) ?? '').split('\n');
  const before = lines[line - 1] ?? '';
  const rest = before.replace(USES, `$1$2/$3$4@${commit}`).replace(/\s*(?:#.*)?$/, '');
  const action = `${owner}/${repository}`;
  return {
    kind: 'edits',
    title: say('fixes.pinTitle', { action, ref }, 'en'),
    summary: say('fixes.pinSummary', { action, ref, commit }),
    files: [{ path, text: lines.with(line - 1, `${rest} # ${ref}`).join('\n') }],
  };
}
