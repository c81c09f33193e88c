import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';

/** The number of findings with buttons: each finding takes a row, and a phone shows few rows. */
const WITH_BUTTONS = 2;

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
