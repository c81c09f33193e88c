import { plainName } from '@signalbox/contracts/plain-name';
import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import { readLaneStatus, stopLane } from '../admission/inbox.ts';
import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { sayError } from '@signalbox/contracts/errors';
import { isAdminCommand, nearestCommand, type AnsweredCommand } from './command.ts';
import * as words from '../words.ts';
import { describeCode, noticeOfUse } from './codes.ts';
import { answerAdmin } from './people.ts';
import type { Answer, AnswerParts, Asked, Question } from './question.ts';
import { answerPress, answerPrompt } from './approvals.ts';
import { answerGovernance } from './governance.ts';
import { answerMute } from './mute.ts';
import { answerSecret } from './secrets.ts';

/** Carries out a question in the transaction that admitted it, and says what happened. */
export async function answerQuestion(parts: AnswerParts, question: Question, asked: Asked): Promise<Answer> {
  switch (question.kind) {
    case 'command':
      return answerCommand(parts, question.name, question.rest, asked);
    case 'unknown-command':
      return { text: describeUnknown(question.typed, asked.role), personal: true };
    case 'exposed-code':
      return { text: sayError('CODE_EXPOSED', {}), personal: true };
    case 'approval':
      return answerPress(parts, question.act, asked);
    case 'end-log': {
      const { userKey, chatKey } = asked.envelope;
      const which = question.runId === null ? { chatKey } : { runId: question.runId };
      const ended = await endFollowedLogs(parts.db, { userKey, ...which });
      // Its message says that it was stopped.
      return { text: null, toast: ended > 0 ? words.LOG_STOPS : words.LOG_OVER };
    }
    case 'prompt':
      return answerPrompt(parts, question.prompt, question.text, asked);
    case 'code':
      return {
        text: describeCode(question.outcome, asked.envelope.name),
        personal: true,
        notices: noticeOfUse(question.outcome, asked.envelope),
        peopleChanged: question.outcome.kind === 'owner' || question.outcome.kind === 'invited',
      };
  }
}

/** An answer as what a person sees. In a group only the one who asked is to see what is personal. */
export function toBody(answer: Answer, asked: Asked['envelope']): OutboundBody {
  const { text, afterwards, personal, buttons = [] } = answer;
  const inGroup = asked.chatKind === 'group';
  return {
    text: text ?? '',
    buttons: [...buttons],
    ...(afterwards === undefined ? {} : { afterwards }),
    ...(inGroup && asked.messageId !== null ? { replyTo: asked.messageId } : {}),
    ...(inGroup && (personal || asked.whisper) ? { onlyFor: asked.userKey } : {}),
  };
}

async function answerCommand(parts: AnswerParts, name: AnsweredCommand, rest: string, asked: Asked): Promise<Answer> {
  const { db } = parts;
  const { userKey, chatKey, name: person } = asked.envelope;
  if (isAdminCommand(name)) return answerAdmin(parts, name, rest, asked);
  switch (name) {
    case 'start':
      return { text: words.welcome(person) };
    case 'help':
      return { text: words.help(asked.role) };
    case 'whoami':
      return { text: words.whoami({ name: person, userKey, role: asked.role }), personal: true };
    case 'approvals':
    case 'grants':
    case 'freeze':
    case 'unfreeze':
    case 'why':
      return answerGovernance(parts, name, rest, asked);
    case 'mute':
      return answerMute(parts, rest, asked);
    case 'secret':
      return answerSecret(parts, rest, asked);
    case 'status':
      return { text: words.status(await readLaneStatus(db, userKey, chatKey)) };
    case 'stop': {
      const stops = await stopLane(db, userKey, asked.inboxId);
      const ended = await endFollowedLogs(db, { userKey, chatKey });
      const otherwise = ended > 0 ? null : words.NOTHING_RUNS;
      return { text: stops ? words.STOPPING : otherwise, stops: stops ? [userKey] : [] };
    }
  }
}

function describeUnknown(typed: string, role: Role): string {
  const near = nearestCommand(typed, role === 'admin');
  const hint = near === null ? 'Say it in plain words, without the slash.' : `Did you mean /${near}?`;
  return sayError('COMMAND_UNKNOWN', { typed: plainName(typed), hint });
}
