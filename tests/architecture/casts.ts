import { Visitor, parseSync } from 'oxc-parser';
import { matchesAny } from './globs.ts';
import type { SourceFile } from './sources.ts';

/** Where every cast says why it is true. A package is added once its last bare cast is gone. */
const CHECKED = [
  'shared/{contracts,models,platform,safety,store}/src/**',
  'services/*/src/**',
  'infra/{forge-simulator,local,telegram-simulator,whatsapp-simulator}/src/**',
];

/**
 * Casts without a comment on their own lines or on the one before. What makes a type wider is no claim: `as const`, `as unknown`, and the
 * type of an empty literal.
 */
export function findBareCasts(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    if (!matchesAny(CHECKED, path) || /\.(test|fixture)\./.test(path) || !text.includes(' as ')) return [];
    const { program, comments } = parseSync(path, text);
    const casts: (readonly [number, number])[] = [];
    new Visitor({
      TSAsExpression({ expression, typeAnnotation, start, end }) {
        const type = text.slice(typeAnnotation.start, typeAnnotation.end);
        const isEmpty = ['[]', '{}'].includes(text.slice(expression.start, expression.end));
        if (!isEmpty && type !== 'const' && type !== 'unknown') casts.push([start, end]);
      },
    }).visit(program);
    if (casts.length === 0) return [];
    const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
    const commented = new Set(comments.flatMap(({ start, end }) => [lineOf(start), lineOf(end)]));
    const bare = casts.flatMap(([start, end]) => {
      const [first, last] = [lineOf(start), lineOf(end)];
      for (let line = first - 1; line <= last; line += 1) if (commented.has(line)) return [];
      return [first];
    });
    return bare.map((line) => `${path}:${line}: a cast says in a comment why it is true, or is a schema instead`);
  });
}
