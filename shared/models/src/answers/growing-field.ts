/** Reads one string field of a JSON object while it is being streamed. */
export interface JsonFieldReader {
  /** Takes the next piece of the JSON text, which may be cut anywhere, even within an escape. */
  feed(piece: string): void;
  /** Returns the string read so far, which never ends in half a surrogate pair. */
  text(): string;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Creates a reader of the string value of a top-level `field`. */
export function createJsonFieldReader(field: string): JsonFieldReader {
  let state: 'open' | 'name' | 'after' | 'string' | 'other' = 'open';
  let name = '';
  let value = '';
  /** Nesting depth within a skipped value, and whether a string is open in it. */
  let depth = 0;
  let quoted = false;
  /** The characters of the current escape after its backslash; null outside of an escape. */
  let escape: string | null = null;

  /** Decodes one character of a string; '' while an escape is incomplete. */
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
        else if (name === field) value = '';
        return;
      case 'string': {
        if (ends) {
          state = 'open';
          return;
        }
        const decoded = decode(char);
        if (name === field) value += decoded;
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
    text: () => dropHalfCharacter(value),
  };
}

/** Removes a trailing half of a surrogate pair, whose other half is still to come. */
export function dropHalfCharacter(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
