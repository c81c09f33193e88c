const OPERATOR = /^(?:&&|\|\||\?\?|and|or)$/;
/** What ends a condition: like operators behind it belong to another one. */
const ENDS = /[;{}]|[^=!<>]=[^=]|\b(?:return|if|while)\b/;

/**
 * Tells of the branches of a code, one after the other, which of them count. Like operators in a row count once, for `a && b && c` is read at
 * once: Campbell, "Cognitive Complexity", SonarSource, 2018.
 */
export function createBranchCount(code: string): (word: string, index: number) => boolean {
  let last = '';
  let end = 0;
  return (word, index) => {
    const isLike = word === last && OPERATOR.test(word) && !ENDS.test(code.slice(end, index));
    [last, end] = [word, index + word.length];
    return !isLike;
  };
}
