import { Visitor, parseSync } from 'oxc-parser';
import type { SourceFile } from './sources.ts';

type Span = Readonly<Record<'start' | 'end', number>>;

/**
 * Promises that are begun, kept under a name and awaited only after another `await`. When both fail, as when Postgres cuts two queries,
 * nobody has heard of the kept one when it fails, and that would end the process. Await it at once, begin both in one `Promise.all`, or
 * say with `.catch` at once what comes of its failure.
 */
export function findLateAwaits(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    if (/^tests\/|\.(test|fixture)\./.test(path) || !text.includes('await ')) return [];
    const kept: { readonly name: string; readonly value: Span }[] = [];
    const awaits: (Span & { readonly names: readonly string[] })[] = [];
    const functions: Span[] = [];
    const textOf = ({ start, end }: Span): string => text.slice(start, end);
    const keep = (name: Span, value: (Span & { readonly type: string }) | null): void => {
      if (value?.type === 'CallExpression' && !HEARD.test(textOf(value))) kept.push({ name: textOf(name), value });
    };
    const enter = (node: Span): void => void functions.push(node);
    new Visitor({
      VariableDeclarator: ({ id, init }) => keep(id, init),
      AssignmentExpression: ({ left, right }) => keep(left, right),
      AwaitExpression: ({ start, end, argument }) => {
        const all = argument.type === 'CallExpression' && /^Promise\.\w+$/.test(textOf(argument.callee));
        const [first] = all ? argument.arguments : [argument];
        const parts = first?.type === 'ArrayExpression' ? first.elements : [first];
        awaits.push({ start, end, names: parts.flatMap((part) => (part ? [textOf(part)] : [])) });
      },
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
    }).visit(parseSync(path, text).program);
    const homeOf = (at: number): Span | undefined =>
      functions.filter(({ start, end }) => start <= at && at < end).toSorted((a, b) => b.start - a.start)[0];
    const late = kept.filter(({ name, value }) => {
      if (text.includes(`${name}.catch(() => undefined)`)) return false;
      const later = awaits.filter(({ start }) => start >= value.end && homeOf(start) === homeOf(value.start));
      return later.toSorted((a, b) => a.start - b.start).findIndex(({ names }) => names.includes(name)) > 0;
    });
    return late.map(({ name, value }) => {
      const line = text.slice(0, value.start).split('\n').length;
      return `${path}:${line}: ${name} is awaited only after another await: say at once what comes of its failure`;
    });
  });
}

/** Deadlines that the next garbage collection may take away: `abortAfter` says why. Pages and simulators have none of ours. */
export function findLostDeadlines(files: readonly Pick<SourceFile, 'path' | 'text'>[]): readonly string[] {
  return files
    .filter(
      ({ path, text }) =>
        /^(?:shared|services|infra\/local)\/(?!.*(?:\/page\/|\.(?:test|fixture)\.))/.test(path) &&
        text.includes('AbortSignal.timeout('),
    )
    .map(({ path }) => `${path}: use abortAfter instead of AbortSignal.timeout`);
}

/** A call that ends with what comes of its failure. */
const HEARD = /\.catch\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$/;
