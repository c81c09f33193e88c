import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';

/** The number of findings that get buttons: a row each, and a phone shows few rows. */
const WITH_BUTTONS = 2;

/** Explain and Accept for the first of these findings. */
export function createFindingButtons(
  project: string,
  findings: readonly { readonly findingId: string | null }[],
): readonly ActionButton[] {
  return findings
    .flatMap(({ findingId }) => (findingId === null ? [] : [findingId]))
    .slice(0, WITH_BUTTONS)
    .flatMap((finding) => [
      { label: say('findings.explainButton', { finding }), value: `explain finding ${finding} of ${project}` },
      { label: say('findings.acceptButton', { finding }), value: `accept finding ${finding} of ${project}` },
    ]);
}
