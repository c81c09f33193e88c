import { describe, expect, it } from 'vitest';
import { insertBelow } from './template.ts';

const TABLE = 'const TABLE = {\n  one: 1,\n};\n';

describe('a line that is added to a table', () => {
  it('stands below the line that was meant', () => {
    expect(insertBelow(TABLE, /^const TABLE = \{$/, '  two: 2,')).toBe('const TABLE = {\n  two: 2,\n  one: 1,\n};\n');
  });

  it('is added nowhere when that line is not there, or is there twice', () => {
    expect(insertBelow(TABLE, /^const OTHER/, '  two: 2,')).toBeNull();
    expect(insertBelow(`${TABLE}${TABLE}`, /^const TABLE/, '  two: 2,')).toBeNull();
  });
});
