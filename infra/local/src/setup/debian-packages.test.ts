import { expect, test } from 'vitest';
import { guessPackages } from './debian-packages.ts';

test('guessPackages returns the Debian packages that may contain a shared library', () => {
  expect(guessPackages('libssl.so.3')).toEqual(['libssl3', 'libssl3t64']);
  expect(guessPackages('libjemalloc.so.2')).toEqual(['libjemalloc2', 'libjemalloc2t64']);
  expect(guessPackages('liblua5.1.so.0')).toEqual(['liblua5.1-0', 'liblua5.1-0t64']);
  expect(guessPackages('libstdc++.so.6')[0]).toBe('libstdc++6');
});

test('guessPackages returns nothing for a file that is not a versioned library', () => {
  expect(guessPackages('linux-vdso.so.1')).toEqual([]);
  expect(guessPackages('redis-server')).toEqual([]);
});
