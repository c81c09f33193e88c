import { ToolMessage, type BaseMessage } from '@langchain/core/messages';

/** The honest end of a turn that the judge ended: why, what was done, and how to go on. */
export function endedByJudge(
  verdict: 'limit' | 'loop' | 'budget',
  messages: readonly BaseMessage[],
  passes: number,
): string {
  const says = messages
    .filter(ToolMessage.isInstance)
    .filter((message) => message.status !== 'error' && typeof message.additional_kwargs['say'] === 'string')
    .map((message) => String(message.additional_kwargs['say']));
  const list = [...new Set(says.map(firstLine))].slice(-8).map((line) => `- ${line}`);
  const soFar = list.length > 0 ? `Done so far:\n${list.join('\n')}` : 'Nothing was changed.';
  switch (verdict) {
    case 'limit':
      return `I stopped after ${passes} steps without reaching the end. ${soFar}\n\nSay "go on" to continue, or tell me what to do differently.`;
    case 'loop':
      return `I stopped, because the same step failed again and again. ${soFar}\n\nTell me what to do differently.`;
    case 'budget': {
      // Nobody goes on to tell what was found, so the results stand for themselves: reads go on when a budget is spent.
      if (says.length > 0)
        return `${says.slice(-8).join('\n\n')}\n\nI stopped here, because what you may use today is used up. An admin can raise the limit.`;
      // What a rule refused for it says so itself, with its name.
      const denied = messages
        .filter(ToolMessage.isInstance)
        .findLast((message) => message.additional_kwargs['code'] === 'POLICY_DENIED');
      if (denied) return String(denied.additional_kwargs['say']);
      return 'I stopped, because what you may use today is used up. Nothing was changed.\n\nAn admin can raise the limit.';
    }
  }
}

/** Said when the model answered nothing twice. */
export const NO_ANSWER = 'The language model gave no usable answer, so I stopped. Please say it again in other words.';

/** The last line of a conversation that the person has confirmed as done. */
export const TASK_FINISHED = 'Glad to help. I closed this task; your next message starts a new one.';

/** Under a result: what pressing it says closes the task. */
export const DONE = { label: 'Done', value: 'Done, thanks.' } as const;

/** Above files that no answer follows. */
export const filesText = (count: number): string => (count === 1 ? 'Here is the file.' : 'Here are the files.');

export const NOTHING_TO_FINISH = 'There is nothing to finish yet: no result has been shown in this conversation.';

export function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').trim();
}

/** Said when a node of tools was to run again and no call of the last answer failed. */
export const NOTHING_AGAIN =
  'There is nothing to run again: of the last step no call failed for sure. What may have taken effect is not repeated; please look at it first.';
