import { plainName } from '@signalbox/contracts/plain-name';
import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { roleCovers, type Role } from '@signalbox/contracts/governance/roles';
import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { sayAgo } from '@signalbox/messages/duration';
import { say, sayError } from '@signalbox/messages/say';
import { findValue } from '@signalbox/store/sql';
import { putNote } from '../admission/voice/voice-notes.ts';
import { COMMANDS, nearestCommand } from './registry.ts';
import { describeCode, noticeOfUse } from './codes.ts';
import { refuse, type Answer, type AnswerParts, type Asked, type Question } from './question.ts';
import { answerPress, answerPrompt } from './approval-answers.ts';

/** Carries out a question in the transaction that admitted it, and says what happened. */
export async function answerQuestion(parts: AnswerParts, question: Question, asked: Asked): Promise<Answer> {
  switch (question.kind) {
    case 'command':
      return answerCommand(parts, question.name, question.rest, asked);
    case 'unknown-command':
      return { text: describeUnknown(question.typed, asked.role), personal: true };
    case 'exposed-code':
      return { text: sayError('CODE_EXPOSED', {}), personal: true };
    case 'voice':
      await putNote(parts.db, asked.inboxId);
      return { text: null }; // it is answered when it was heard
    case 'approval':
      return answerPress(parts, question.act, asked);
    case 'end-log': {
      const { userKey, chatKey } = asked.envelope;
      const which = question.runId === null ? { chatKey } : { runId: question.runId };
      const ended = await endFollowedLogs(parts.db, { userKey, ...which });
      // Its message says that it was stopped.
      return { text: null, toast: say(ended > 0 ? 'gateway.log-stops' : 'gateway.log-over') };
    }
    case 'prompt':
      return answerPrompt(parts, question.prompt, question.text, asked);
    case 'code':
      return {
        text: describeCode(question.outcome, asked.envelope.name),
        personal: true,
        notices: noticeOfUse(question.outcome, asked.envelope),
        peopleChanged: ['owner', 'invited', 'linked'].includes(question.outcome.kind),
      };
  }
}

/** An answer as what a person sees. In a group only the one who asked is to see what is personal. */
export function toBody(answer: Answer, asked: Asked['envelope']): OutboundBody {
  const { text, afterwards, personal, prompt, isExact, buttons = [] } = answer;
  const inGroup = asked.chatKind === 'group';
  return {
    text: text ?? '',
    buttons: [...buttons],
    ...(afterwards === undefined ? {} : { afterwards }),
    ...(isExact ? { isExact } : {}),
    ...(prompt ? { asksReply: true } : {}),
    ...(inGroup && asked.messageId !== null ? { replyTo: asked.messageId } : {}),
    ...(inGroup && (personal || asked.whisper) ? { onlyFor: asked.userKey } : {}),
  };
}

async function answerCommand(parts: AnswerParts, name: string, typed: string, asked: Asked): Promise<Answer> {
  const command = COMMANDS.find((one) => one.name === name);
  if (!command?.answer)
    throw new Error(`/${name} is no command that is answered: parseCommand and choose let none through.`);
  if (!roleCovers(asked.role, command.who)) return refuse(asked, command.who);
  const ageMs = command.asksWhenOld ? await ageOf(parts.db, asked.envelope.at) : null;
  if (ageMs !== null) return { personal: true, text: say('gateway.old-command', { ago: sayAgo(ageMs) }) };
  return { personal: command.personal, ...(await command.answer({ ...parts, commands: COMMANDS }, typed, asked)) };
}

/** How old words are that came in just now, where that is more than ten minutes: see infra/postgres/44_admission.sql. */
function ageOf(db: AnswerParts['db'], at: string): Promise<number | null> {
  return findValue<number | null>(db, null)`select (age_since(${at}) ->> 'ageMs')::float8`;
}

function describeUnknown(typed: string, role: Role): string {
  const near = nearestCommand(typed, role);
  const hint = near === null ? say('gateway.no-command') : say('gateway.near-command', { near });
  return sayError('COMMAND_UNKNOWN', { typed: plainName(typed), hint });
}
