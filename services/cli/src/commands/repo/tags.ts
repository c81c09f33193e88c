import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ProjectTag } from '@signalbox/contracts/repository/tag';
import { createTagStore } from '@signalbox/store/repository/tags';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';

/** Adds a tag to a project, or removes it with --remove. */
export async function tagProject(context: CommandContext, project: string, written: string): Promise<CommandResult> {
  const tag = readTag(written);
  const tags = createTagStore(context.database());
  const decision = { project, tag, userKey: context.actor, actionId: `cli_${randomUUID()}`, threadId: null };
  const left = await (context.arguments.remove ? tags.take(decision) : tags.give(decision));
  return { ok: true, data: { project, tags: left }, lines: [`Tags of ${project}: ${left.join(', ') || 'none'}`] };
}

/** Parses a tag. Throws UsageError for an invalid one. */
export function readTag(written: string): string {
  const tag = ProjectTag.safeParse(written);
  if (!tag.success) throw new UsageError(`'${written}' is no tag. ${z.prettifyError(tag.error)}`);
  return tag.data;
}
