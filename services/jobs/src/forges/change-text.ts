import { cleanName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';

/** What the texts of a change are built from. All but numbers and hash may come from a model, a person or a repository. */
export interface ChangeFacts {
  readonly title: string;
  readonly summary: string;
  /** Each command with how it ended. */
  readonly checks: readonly string[];
  readonly critic: string | null;
  /** Number of the change, as “status of change 4” takes it. */
  readonly changeId: number;
  /** Name of the person who asked for the change; null when it is not known any more. */
  readonly requestedBy: string | null;
  /** Names of those who approved the diff; empty where no approval was needed. */
  readonly approvedBy: readonly string[];
  /** SHA-256 of what they approved: see `hashDiff`. */
  readonly diffHash: string;
}

export interface ChangeTexts {
  readonly title: string;
  readonly body: string;
  /** Message of the commit. It names no approver, so that whoever approves a repeated attempt makes the same commit. */
  readonly message: string;
}

/** GitHub cuts at 256, GitLab at 255 characters. */
const MAX_TITLE_LENGTH = 200;
const MAX_PART_LENGTH = 4_000;
const MAX_NAME_LENGTH = 80;
const MAX_COLUMNS = 72;
/** An invisible space, which ends a name or number for the forge and shows nothing to a reader. */
const GAP = '\u200b';

/**
 * Builds the title and body of a change and the message of its commit. Texts of others are escaped, so
 * that the forge sees no mention, no closing word and no command in them. Pure except for the language.
 */
export function createChangeTexts(facts: ChangeFacts): ChangeTexts {
  const { changeId, diffHash, checks, critic } = facts;
  const title = escapeForgeWords(redactText(cleanName(facts.title))).slice(0, MAX_TITLE_LENGTH) || String(changeId);
  const people = facts.approvedBy.map((name) => cleanName(name).slice(0, MAX_NAME_LENGTH));
  const summary = toLines(facts.summary);
  const lines = [
    escapeLines(summary),
    escapeLines(toLines(say('engineering.prChecks', { hasChecks: checks.length > 0, checks: checks.join(', ') }))),
    escapeLines(toLines(say('engineering.prCritic', { hasCritic: critic !== null, critic: critic ?? '' }))),
    '---',
    say('forge.approved', {
      hasPeople: people.length > 0,
      people: people.map(escapeForgeWords).map(escapeMarkdown).join(', '),
      hash: diffHash,
      change: String(changeId),
    }),
  ];
  const requester = escapeForgeWords(cleanName(facts.requestedBy ?? '').slice(0, MAX_NAME_LENGTH));
  const trailers = [
    ...(requester === '' ? [] : [`Requested-by: ${requester}`]),
    `Signalbox-Change: ${changeId}`,
    `Signalbox-Diff: ${diffHash}`,
  ];
  return {
    title,
    body: lines.filter((line) => line !== '').join('\n\n'),
    message: [title, summary.map(escapeForgeWords).map(wrapLine).join('\n'), trailers.join('\n')]
      .filter((part) => part !== '')
      .join('\n\n'),
  };
}

/**
 * Breaks what a forge would act on: mentions, references to issues and changes, addresses of them, words that skip checks, and commands at
 * the beginning of a line. Readers see the same text. Pure.
 */
export function escapeForgeWords(line: string): string {
  return line
    .replace(/[@#!$%&~^[*](?=[\p{L}\p{N}_"{])/gu, `$&${GAP}`)
    .replace(/(?<=\p{L})-(?=\d)/gu, `-${GAP}`)
    .replace(/:\/\//g, `:${GAP}//`)
    .replace(/\bwww\./gi, `www${GAP}.`)
    .replace(/^(\s*(?:[>*+-]\s*|\d+[.)]\s*)*)\//, `$1${GAP}/`);
}

/** Breaks a line at blanks, as git's own tools show messages. No new line begins with what a forge would act on. */
function wrapLine(line: string): string {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    const fits = last !== undefined && last.length + 1 + word.length <= MAX_COLUMNS;
    if (fits || (last !== undefined && !/^[\p{L}\p{N}]/u.test(word))) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

function toLines(text: string): readonly string[] {
  return redactText(text.slice(0, MAX_PART_LENGTH).toWellFormed())
    .split(/\r\n|[\r\n\u0085\u2028\u2029]/)
    .map((line) => cleanName(line))
    .filter((line) => line !== '');
}

function escapeLines(lines: readonly string[]): string {
  return lines.map(escapeForgeWords).map(escapeMarkdown).join('  \n');
}

/** Escapes a line so that it shows as it is: no link, picture, heading, table, list or HTML. */
function escapeMarkdown(line: string): string {
  return line
    .replace(/[\\`*_{}[\]()|~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/^([#+=-]|\d+[.)])/, '\\$1');
}
