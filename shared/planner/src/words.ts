/** `memoryMb` → memory, `first_port` → first port: a field's name as people say it. */
export function inWordsOf(field: string): string {
  return field
    .replace(/(?:Mb|Gb|Kb|Ms|Bytes|Seconds|Minutes|Hours)$/, '')
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/** `project_management` → Project management, `deploy` → Deploying: a group as the subject of a sentence. */
export function asActivity(group: string): string {
  if (group === 'deploy') return 'Deploying';
  if (group === 'diagnose') return 'Diagnosing';
  const words = group.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A markdown list of things that one could write. */
export function asExamples(examples: readonly string[]): string {
  return examples.map((example) => `- ${example}`).join('\n');
}

/** One line of at most `limit` characters, cut at a word where there is one. */
export function asLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  if (letters.length <= limit) return line;
  const cut = letters.slice(0, limit - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
