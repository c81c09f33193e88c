import { expect, test } from 'vitest';
import { isGitRef } from './ref.ts';

test('a version may have upper case, slashes, hashes, pluses and letters of any script', () => {
  for (const ref of [
    '1.2.0',
    'v1.2.0-rc.1',
    'Release/2.0',
    'fix/#12+late',
    '#12',
    'Ünïcode/ветка',
    'a@b',
    'x=1,y',
    'f0e1d2c',
  ])
    expect([ref, isGitRef(ref)]).toEqual([ref, true]);
});

test('what git refuses, or reads as an option or as a range, is no version', () => {
  const refused = [
    '',
    '-f',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    '@{-1}',
    'a@{1}',
  ];
  for (const ref of [
    ...refused,
    '/a',
    'a/',
    'a//b',
    'a/.b',
    'a.',
    'a.lock',
    'a.lock/b',
    'a\nb',
    'a\u0000',
    'x'.repeat(201),
  ])
    expect([ref, isGitRef(ref)]).toEqual([ref, false]);
});
