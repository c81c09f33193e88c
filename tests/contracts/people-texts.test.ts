import { isStopWord } from '@signalbox/gateway/admission/log-stop';
import { closeMarkdown } from '@signalbox/gateway/channels/telegram/format/partial-markdown';
import { splitIntoChunks } from '@signalbox/gateway/channels/text/chunk';
import { escapeMarks, formatSections } from '@signalbox/gateway/channels/whatsapp/send/format';
import { parseArgChange } from '@signalbox/gateway/commands/approval-answers';
import { groupErrors } from '@signalbox/jobs/logs/error-lines';
import { splitMarkdown } from '@signalbox/jobs/knowledge/passages';
import { cleanFreeText } from '@signalbox/planner/slots/descriptions';
import { findClaimSigns } from '@signalbox/governance/provenance/signs';
import { expect, it } from 'vitest';
import { findSlowness, type Make } from '../support/linear-time.ts';

// One process answers everybody: a text that somebody made for it must not hold it. Each took time with the square of its length, or worse.

const repeated =
  (piece: string, before = '', end = ''): Make =>
  (length) =>
    `${before}${piece.repeat(length / piece.length)}${end}`;
const signs = (text: string) => findClaimSigns(text, new Set(), new Set());
const bold = (text: string) => formatSections([{ type: 'paragraph', text: [{ text, styles: [{ type: 'bold' }] }] }]);
const logLines = (text: string) =>
  groupErrors(
    (text.match(/.{1,1900}/g) ?? []).map((line) => ({ line: `error ${line}`, at: null, stream: 'out' as const })),
  );

it.each<[string, (text: string) => unknown, Make]>([
  ['marks that nothing ends, for WhatsApp', escapeMarks, repeated('*0')],
  ['bold blanks for WhatsApp', bold, repeated(' ', 'a', 'b')],
  ['dashes where a change was asked for', (text) => parseArgChange(text, {}), repeated('-', '', '*')],
  ['a word to stop with blanks that go on', isStopWord, repeated(' ', 'stop', 'x')],
  ['a draft with blanks behind a bullet', closeMarkdown, repeated(' ', '* ', '>0')],
  ['a draft of quotes', closeMarkdown, repeated('>', '', 'x')],
  ['a draft of code without an end', closeMarkdown, repeated('`', '``` a', '\0`')],
  ['what is nearly the rule of a table', splitIntoChunks, repeated(' ', 'a|b\n-:', ':-')],
  ['a heading of blanks', splitMarkdown, repeated(' ', '# ', '\u2028')],
  ['a heading of blanks and signs', splitMarkdown, repeated(' #', '# ', 'x')],
  ['the rule of a table without an end', splitMarkdown, repeated('-', '|a|\n|')],
  ['lines of a log with hyphens and digits', logLines, repeated('-0')],
  ['free text of marks', cleanFreeText, repeated('! ', '', 'x')],
  ['fences in one line', signs, repeated('```', '', '„`')],
  ['what looks like the beginning of an address', signs, repeated('a+a', '0')],
])('texts of people are read in linear time: %s', async (_, read, make) => {
  expect(await findSlowness(make, read)).toBeNull();
});
