/** Numbers equal problems in order, so that each keeps its fingerprint when lines move. */
export function numberAlike<P extends { readonly rule: string; readonly identity: string; readonly path?: string }>(
  problems: readonly P[],
): readonly P[] {
  const seen = new Map<string, number>();
  return problems.map((problem) => {
    const key = `${problem.path ?? ''}\n${problem.rule}\n${problem.identity}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? problem : { ...problem, identity: `${problem.identity} #${count}` };
  });
}
