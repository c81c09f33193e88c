import { z } from 'zod';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { ToolContext } from '../../tools/tool.ts';

export type Change = Awaited<ReturnType<ToolContext['ports']['engineering']['get']>>;

const Numbered = z.coerce.number().int().min(1).max(999_999_999);

export const KnownChange = Numbered.describe('Number of the change').meta({ ask: 'Which change?' });

export const ChangeNumber = Numbered.optional()
  .describe('Number of the change; the newest of this person when left out')
  .meta({ ask: 'Which change?' });

/** A text as one line of markdown without formatting. */
export function toLine(text: string): string {
  return toPlainName(text.replace(/\s+/g, ' ').trim());
}

/** Says how a change stands, in one sentence. */
export function sayChange({ changeId, project, state, proposal, question, problem, outcome }: Change): string {
  return say('engineering.state', {
    change: String(changeId),
    project,
    state,
    title: toLine(proposal?.title ?? ''),
    question: toLine(question ?? ''),
    problem: toLine(problem ?? ''),
    branch: outcome?.branch ?? '',
    hasUrl: outcome?.url != null,
    url: outcome?.url ?? '',
  });
}
