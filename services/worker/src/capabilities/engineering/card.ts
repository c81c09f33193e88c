import { describeCheck, judgeChecks } from '@signalbox/contracts/engineering/change';
import { say } from '@signalbox/messages/say';
import type { Change } from './fields.ts';

type Proposal = NonNullable<Change['proposal']>;

const MAX_SHOWN_FILES = 12;
/** Length of the two or three sentences that a critic is asked for. */
const MAX_CRITIQUE_LENGTH = 600;

/** What a person reads of a diff, line by line. Cards show plain text, so nothing is escaped here. */
export function listCardLines(proposal: Proposal, hash: string): readonly string[] {
  const { checks, critique, files } = proposal;
  const commands = checks.map(describeCheck).join(', ');
  const ran = say('engineering.ran', { ran: judgeChecks(proposal) });
  const tested = commands === '' ? ran : say('engineering.prRan', { checks: commands, ran });
  const named = files
    .slice(0, MAX_SHOWN_FILES)
    .map(({ path, change: kind, added, removed }) => say('engineering.prFile', { path, kind, added, removed }));
  const more = files.length - named.length;
  return [
    say('engineering.prChecks', { hasChecks: true, checks: tested }),
    say('engineering.prCritic', {
      hasCritic: critique !== null,
      critic: critique === null ? '' : sayCritique(critique),
    }),
    [...named, ...(more > 0 ? [say('engineering.prMore', { count: more })] : [])].join(', '),
    say('engineering.prDiff', { hash }),
  ];
}

/** A text of others as one line of plain text. */
export function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function sayCritique({ verdict, risk, says }: NonNullable<Proposal['critique']>): string {
  const line = toOneLine(says);
  const cut = line.length <= MAX_CRITIQUE_LENGTH ? line : `${line.slice(0, MAX_CRITIQUE_LENGTH).toWellFormed()}…`;
  return say('engineering.critique', { verdict, risk, says: cut });
}
