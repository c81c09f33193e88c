import type { Language } from '../source/languages.ts';
import { getLineNumber, type SourceText } from '../source/read-source.ts';
import { createProblem, type Problem } from '../../problem.ts';

/** An empty error handler. `isEverything`: it catches every error, not only known types. */
interface Catch {
  readonly offset: number;
  readonly text: string;
  readonly end: number;
  readonly isEverything: boolean;
}

/** Finds handlers that catch every error and do nothing, unless a comment or the name `ignored` shows that this is intended. */
export function findSwallowedErrors(source: SourceText, language: Language): readonly Problem[] {
  const catches =
    language.shape === 'indentation' ? findEmptyBlocks(source, language) : findEmptyBraces(source, language);
  return catches
    .filter(({ isEverything, offset, end }) => isEverything && !hasComment(source, offset, end))
    .map(({ offset, text }) => {
      const evidence = text.replaceAll(/\s+/g, ' ').slice(0, 100);
      return createProblem('swallowed-error', rateHandler(text), { line: getLineNumber(source, offset), evidence });
    });
}

/** A bare `except:` also catches interrupts; a bare `catch {}` states that the error is unused. */
function rateHandler(text: string): Problem['severity'] {
  if (/^except\s*:/.test(text)) return 'medium';
  return /^catch\s*\{/.test(text) ? 'info' : 'low';
}

/** True when the handler has a comment inside or on its last line. */
function hasComment({ text, comments }: SourceText, start: number, end: number): boolean {
  const lineEnd = text.indexOf('\n', end);
  const last = lineEnd < 0 ? text.length : lineEnd;
  let [low, high] = [0, comments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comments[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return (comments[low]?.start ?? Infinity) < last;
}

const EMPTY_BRACES = /(?<![\w$.])catch\s{0,20}(?:\(([^(){}]{0,200})\)\s{0,20})?\{\s*\}/g;
/** Names that mark an error as ignored on purpose. */
const INTENDED = /\b(?:ignored?|expected|unused|swallow(?:ed)?|_+)\s*$/i;
const ALL_FAILURES =
  /^(?:final\s+)?(?:\w+\s*:\s*)?\\?(?:[\w.]+\.)?(?:Exception|Throwable|RuntimeException|Error|\.\.\.)(?:\s|$)/;

function findEmptyBraces({ code }: SourceText, { name }: Language): readonly Catch[] {
  return [...code.matchAll(EMPTY_BRACES)].map((match) => {
    const caught = (match[1] ?? '').trim();
    const isTyped = name !== 'JavaScript' && name !== 'TypeScript' && name !== 'Swift';
    return {
      offset: match.index,
      text: match[0],
      end: match.index + match[0].length,
      isEverything:
        !INTENDED.test(name === 'Kotlin' ? (caught.split(':', 1)[0] ?? '') : caught) &&
        (!isTyped || caught === '' || ALL_FAILURES.test(`${toType(caught, name)} `)),
    };
  });
}

/** In Kotlin the error type follows the variable name. */
function toType(caught: string, language: string): string {
  return language === 'Kotlin' ? caught.replace(/^\w+\s*:\s*/, '') : caught;
}

const HANDLER: Readonly<Record<string, RegExp>> = {
  Python:
    /^([ \t]{0,200})except(?:[ \t]+(?:Exception|BaseException)(?:[ \t]+as[ \t]+\w+)?)?[ \t]*:[ \t]*(?:\r?\n[ \t\r\n]*)?(?:pass|\.\.\.)[ \t\r]*$/gm,
  Ruby: /^([ \t]{0,200})rescue(?:[ \t]+(?:StandardError|Exception))?(?:[ \t]*=>[ \t]*\w+)?[ \t\r]*\n[ \t\r\n]*end[ \t\r]*$/gm,
};

function findEmptyBlocks({ code }: SourceText, { name }: Language): readonly Catch[] {
  const handler = HANDLER[name];
  if (!handler) return [];
  return [...code.matchAll(handler)].map((match) => {
    const offset = match.index + (match[1]?.length ?? 0);
    return { offset, text: match[0].trim(), end: match.index + match[0].length, isEverything: true };
  });
}
