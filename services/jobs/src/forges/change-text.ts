import { cleanName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';

/** What the texts of a change are built from. The first three may come from a model, a person or a repository. */
export interface ChangeFacts {
  readonly title: string;
  readonly what: string;
  readonly why: string;
  /** Id of the run or change, as `/why` takes it. */
  readonly runId: string;
  /** Names of those who approved the diff. */
  readonly approvedBy: readonly string[];
  /** SHA-256 of the diff that they approved. */
  readonly diffHash: string;
}

export interface ChangeTexts {
  readonly title: string;
  readonly body: string;
  /** Message of the commit, with the same facts. */
  readonly message: string;
}

/** GitHub cuts at 256, GitLab at 255 characters. */
const MAX_TITLE_LENGTH = 200;
const MAX_PART_LENGTH = 4_000;
const MAX_NAME_LENGTH = 80;
/** An invisible space, which ends a name or number for the forge and shows nothing to a reader. */
const GAP = '\u200b';

/**
 * Builds the title and body of a change and the message of its commit. What others wrote in it mentions nobody, closes nothing and runs no
 * command at a forge. Pure except for the language.
 */
export function createChangeTexts(facts: ChangeFacts): ChangeTexts {
  const title = escapeForgeWords(redactText(cleanName(facts.title))).slice(0, MAX_TITLE_LENGTH) || facts.runId;
  const people = facts.approvedBy.map((name) => cleanName(name).slice(0, MAX_NAME_LENGTH));
  const [what, why] = [facts.what, facts.why].map((text) => toLines(text));
  const lines = [
    `**${say('forge.what')}**`,
    escapeLines(what ?? []),
    `**${say('forge.why')}**`,
    escapeLines(why ?? []),
    '---',
    say('forge.approved', {
      people: people.map(escapeForgeWords).map(escapeMarkdown).join(', '),
      hash: facts.diffHash,
      run: facts.runId,
    }),
  ];
  const trailers = [
    `Signalbox-Run: ${facts.runId}`,
    ...people.map((name) => `Signalbox-Approved-By: ${escapeForgeWords(name)}`),
    `Signalbox-Diff: ${facts.diffHash}`,
  ];
  return {
    title,
    body: lines.filter((line) => line !== '').join('\n\n'),
    message: [title, (what ?? []).map(escapeForgeWords).join('\n'), trailers.join('\n')]
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

/** Does the same for every line of a text. Pure. */
export function escapeForgeText(text: string): string {
  return text
    .split(/\r\n|[\r\n\u0085\u2028\u2029]/)
    .map(escapeForgeWords)
    .join('\n');
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
