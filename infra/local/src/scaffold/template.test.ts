import { describe, expect, it } from 'vitest';
import { insertBelow } from './template.ts';

const TABLE = 'const TABLE = {\n  one: 1,\n};\n';

describe('insertBelow', () => {
  it('inserts the new text below the line that matches the marker', () => {
    expect(insertBelow(TABLE, /^const TABLE = \{$/, '  two: 2,')).toBe('const TABLE = {\n  two: 2,\n  one: 1,\n};\n');
  });

  it('returns null when no line or several lines match the marker', () => {
    expect(insertBelow(TABLE, /^const OTHER/, '  two: 2,')).toBeNull();
    expect(insertBelow(`${TABLE}${TABLE}`, /^const TABLE/, '  two: 2,')).toBeNull();
  });
});
