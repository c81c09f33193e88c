import type { ChainName } from '@signalbox/contracts/repository/chains';

/** Analyzers whose findings a report of a chain lists first, because people asked about them. */
export const FIRST_ANALYZERS: Readonly<Partial<Record<ChainName, readonly string[]>>> = {
  dependency_audit: ['advisories', 'dependencies', 'licences'],
};

/** Moves the findings that a chain is about to the front; the order is otherwise kept. */
export function orderForChain<F extends { readonly rule: string }>(
  chain: ChainName | null,
  findings: readonly F[],
): readonly F[] {
  const first = chain === null ? [] : (FIRST_ANALYZERS[chain] ?? []);
  const isFirst = ({ rule }: F): boolean => first.includes(rule.split('/')[0] ?? '');
  return [...findings.filter(isFirst), ...findings.filter((one) => !isFirst(one))];
}
