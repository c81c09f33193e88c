import { toPlainName } from '@signalbox/contracts/plain-name';
import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { sayAgo } from '@signalbox/messages/duration';
import { say, sayError } from '@signalbox/messages/say';
import { findValue } from '@signalbox/store/sql';
import { putVoiceNote } from '../rows/voice-notes.ts';
import { COMMANDS, findSimilarCommand } from './registry.ts';
import { describeCode, createCodeUseNotice } from './codes.ts';
import {
  refuseRole,
  type GatewayAnswer,
  type AnswerDeps,
  type QuestionContext,
  type GatewayQuestion,
} from './question.ts';
import { applyCardPress, applyPromptReply } from './approval-answers.ts';
import { applyIncidentPress } from './incident-answers.ts';

/** Answers a command or other question, in the transaction that admitted it. */
export async function answerQuestion(
  deps: AnswerDeps,
  question: GatewayQuestion,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  switch (question.kind) {
    case 'command':
      return answerCommand(deps, question.name, question.rest, asked);
    case 'unknown-command':
      return { text: describeUnknown(question.typed, asked.role), personal: true };
    case 'exposed-code':
      return { text: sayError('CODE_EXPOSED', {}), personal: true };
    case 'voice':
      await putVoiceNote(deps.db, asked.inboxId);
      return { text: null }; // the listener answers once the note is transcribed
    case 'approval':
      return applyCardPress(deps, question.act, asked);
    case 'incident':
      return applyIncidentPress(deps.db, question.act, asked);
    case 'end-log': {
      const { userKey, chatKey } = asked.envelope;
      const which = question.runId === null ? { chatKey } : { runId: question.runId };
      const ended = await endFollowedLogs(deps.db, { userKey, ...which });
      // The log's own message says that it was stopped.
      return { text: null, toast: say(ended > 0 ? 'gateway.log-stops' : 'gateway.log-over') };
    }
    case 'prompt':
      return applyPromptReply(deps, question.prompt, question.text, asked);
    case 'code':
      return {
        text: describeCode(question.outcome, asked.envelope.name),
        personal: true,
        notices: createCodeUseNotice(question.outcome, asked.envelope),
        peopleChanged: ['owner', 'invited', 'linked'].includes(question.outcome.kind),
      };
  }
}

/** Builds the outbox body of an answer. In a group only the sender sees a personal answer. */
export function toAnswerBody(answer: GatewayAnswer, asked: QuestionContext['envelope']): OutboundBody {
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

async function answerCommand(
  deps: AnswerDeps,
  name: string,
  typedText: string,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  const command = COMMANDS.find((one) => one.name === name);
  if (!command?.answer)
    throw new Error(`/${name} is no command that is answered: parseCommand and choose let none through.`);
  if (!coversRole(asked.role, command.who)) return refuseRole(asked, command.who);
  const ageMs = command.asksWhenOld ? await findLateAge(deps.db, asked.envelope.at) : null;
  if (ageMs !== null) return { personal: true, text: say('gateway.old-command', { ago: sayAgo(ageMs) }) };
  return { personal: command.personal, ...(await command.answer({ ...deps, commands: COMMANDS }, typedText, asked)) };
}

/** The age of a message that arrived just now, if it is over ten minutes; otherwise null. */
function findLateAge(db: AnswerDeps['db'], at: string): Promise<number | null> {
  return findValue<number | null>(db, null)`select (age_since(${at}) ->> 'ageMs')::float8`;
}

function describeUnknown(typed: string, role: Role): string {
  const near = findSimilarCommand(typed, role);
  const hint = near === null ? say('gateway.no-command') : say('gateway.near-command', { near });
  return sayError('COMMAND_UNKNOWN', { typed: toPlainName(typed), hint });
}
