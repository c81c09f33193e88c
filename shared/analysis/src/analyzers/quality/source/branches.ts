const OPERATOR = /^(?:&&|\|\||\?\?|and|or)$/;
/** Ends of a condition; equal operators after it count again. */
const ENDS = /[;{}]|[^=!<>]=[^=]|\b(?:return|if|while)\b/;

/** Creates a filter for counted branches; a row of equal operators, as in `a && b && c`, counts once (Campbell, 2018). */
export function createBranchCount(code: string): (word: string, index: number) => boolean {
  let last = '';
  let end = 0;
  return (word, index) => {
    const isLike = word === last && OPERATOR.test(word) && !ENDS.test(code.slice(end, index));
    [last, end] = [word, index + word.length];
    return !isLike;
  };
}
