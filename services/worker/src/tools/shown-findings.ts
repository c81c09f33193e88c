import type { ShownFinding } from '@signalbox/contracts/repository/chain-run';
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

/** Where the fields of a finding in a tool's result come from. */
export const FINDING_ORIGINS = {
  findingId: 'runtime',
  rule: 'manual',
  severity: 'runtime',
  path: 'outside',
  line: 'runtime',
  evidence: 'outside',
  values: 'outside',
} as const;

/** Keeps the fields of a finding that people and models see. */
export function toShown<F extends ShownFinding>({
  findingId,
  rule,
  severity,
  path,
  line,
  evidence,
  values,
}: F): Pick<F, keyof ShownFinding> {
  return { findingId, rule, severity, path, line, evidence, values };
}
