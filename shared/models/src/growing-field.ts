/** Reads one string out of a JSON object that is still being written. */
export interface GrowingField {
  /** Takes the next piece, cut anywhere: in the middle of an escape, of a pair of surrogates, of a name. */
  feed(piece: string): void;
  /** The string as far as it can be told. Never ends in half of a character. */
  text(): string;
}

/*
 * A machine of one character at a time:
 *   'open'   before or between names       → 'name' at a quote
 *   'name'   inside a name                 → 'after' at its end
 *   'after'  waits for the colon and value → 'string' at a quote, else 'other'
 *   'string' inside a string value         → 'open' at its end; collected when the name is ours
 *   'other'  numbers, lists, objects: skipped with their strings until the comma that ends them at depth 0
 */
type State = 'open' | 'name' | 'after' | 'string' | 'other';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Reads the string value of `field`, at the top level of the object only. */
export function createGrowingField(field: string): GrowingField {
  let state: State = 'open';
  let name = '';
  let found = '';
  /** Lists and objects that are open inside a skipped value, and whether a string of it is. */
  let depth = 0;
  let quoted = false;
  /** What followed a backslash so far; null outside of an escape. */
  let escape: string | null = null;

  /** One character of a string: answers what it stands for, or '' while an escape is not complete. */
  const decode = (char: string): string => {
    if (escape === null) {
      if (char !== '\\') return char;
      escape = '';
      return '';
    }
    escape += char;
    if (escape[0] === 'u' && escape.length < 5) return '';
    const whole = escape;
    escape = null;
    if (whole[0] === 'u') return String.fromCharCode(Number.parseInt(whole.slice(1), 16));
    return ESCAPES[whole] ?? whole;
  };

  const skip = (char: string): void => {
    if (quoted) {
      const ends = char === '"' && escape === null;
      if (ends) quoted = false;
      else decode(char);
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (depth === 0 && (char === ',' || char === '}')) state = 'open';
    else if (char === '}' || char === ']') depth -= 1;
  };

  const take = (char: string): void => {
    const ends = char === '"' && escape === null;
    switch (state) {
      case 'open':
        if (char === '"') {
          state = 'name';
          name = '';
        }
        return;
      case 'name':
        if (ends) state = 'after';
        else name += decode(char);
        return;
      case 'after':
        if (char === ':' || /\s/.test(char)) return;
        state = char === '"' ? 'string' : 'other';
        if (state === 'other') skip(char);
        else if (name === field) found = '';
        return;
      case 'string': {
        if (ends) {
          state = 'open';
          return;
        }
        const decoded = decode(char);
        if (name === field) found += decoded;
        return;
      }
      case 'other':
        skip(char);
    }
  };

  return {
    feed: (piece) => {
      for (let index = 0; index < piece.length; index += 1) take(piece.charAt(index));
    },
    text: () => wholeCharacters(found),
  };
}

/** A text without the half of a character that it may end in while the other half is still to come. */
export function wholeCharacters(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
