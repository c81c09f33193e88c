import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { say } from '@signalbox/messages/say';

/** Builds the last reply of a turn that the judge ended: the reason, the results so far, and how to continue. */
export function sayEndedByJudge(
  verdict: 'limit' | 'loop' | 'budget',
  messages: readonly BaseMessage[],
  passes: number,
): string {
  const says = messages
    .filter(ToolMessage.isInstance)
    .filter((message) => message.status !== 'error' && typeof message.additional_kwargs['say'] === 'string')
    .map((message) => String(message.additional_kwargs['say']));
  const list = [...new Set(says.map(takeFirstLine))].slice(-8).map((line) => `- ${line}`);
  const soFar = list.length > 0 ? `${say('agent.doneSoFar')}\n${list.join('\n')}` : say('turn.line-nothing');
  switch (verdict) {
    case 'limit':
      return say('agent.stoppedAtLimit', { passes, soFar });
    case 'loop':
      return say('agent.stoppedInLoop', { soFar });
    case 'budget': {
      // When the budget is used up, the model cannot answer again, so the results are listed unchanged.
      if (says.length > 0) return [...says.slice(-8), say('agent.stoppedHere')].join('\n\n');
      // The sentence of a refusal contains its rule.
      const denied = messages
        .filter(ToolMessage.isInstance)
        .findLast((message) => message.additional_kwargs['code'] === 'POLICY_DENIED');
      if (denied) return String(denied.additional_kwargs['say']);
      return say('agent.budgetSpent');
    }
  }
}

export const sayNoAnswer = (): string => say('agent.noAnswer');

export const sayCutOff = (): string => say('agent.cutOff');

export const sayTaskFinished = (): string => say('agent.taskFinished');

export const sayFiles = (count: number): string => say('agent.files', { count });

/** Tells the model that only the person can say that a task is done. */
export const FINISH_REFUSAL = 'There is nothing to finish yet: no result has been shown in this conversation.';

export function takeFirstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').trim();
}

export const sayNothingToRepeat = (): string => say('agent.nothingAgain');
