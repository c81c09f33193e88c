import { ANALYZERS } from '@signalbox/analysis/analyzers/analyzers';
import { expect, it } from 'vitest';
import { analyze } from '../../support/analyze.ts';
import { findSlowness, type Make } from '../../support/linear-time.ts';

// A repository may be made to keep us busy. Each of these took a scan minutes, or for ever.

const repeated =
  (piece: string, before = '', end = ''): Make =>
  (length) =>
    `${before}${piece.repeat(length / piece.length)}${end}`;

it.each<[string, string, Make]>([
  ['empty lines', 'a.py', repeated('\n')],
  ['lines of blanks', 'a.rs', repeated('\n ')],
  ['requirements with blanks that end oddly', 'requirements.txt', repeated(`a${' '.repeat(1_900)}\rx\ry\n`)],
  ['pipelines of returns without line feeds', '.github/workflows/a.yml', repeated('\r')],
  ['passwords of one long word', 'a.py', repeated(`password = "${'kdmwqpzrvtxn'.repeat(3)}4567!"\n`)],
])('%s are read in linear time by every analyzer', async (_, path, make) => {
  const slow: unknown[] = [];
  for (const analyzer of ANALYZERS) {
    const trouble = await findSlowness(make, (text) => analyze(analyzer, { [path]: text }));
    if (trouble !== null) slow.push([analyzer.name, trouble]);
  }
  expect(slow).toEqual([]);
});
