import { expect, it } from 'vitest';
import type { Mention } from '../names/mentions.ts';
import { findGitRefs } from './refs.ts';

const read = (ref: string) => {
  const text = `deploy shop ${ref} to staging`;
  const shop = { kind: 'project', name: 'shop', start: 7, end: 11 } as Mention; // all that is read of it
  return findGitRefs(text, [shop], false)[0]?.value;
};

it.each(['feature/login#42', 'feature/login', 'v2-beta', 'V2', 'fix/größe', 'release/1.0', '1.0+build.7'])(
  'a ref is taken whole, and never another one: %s',
  (ref) => {
    expect(read(ref)).toBe(ref);
  },
);

it('the mark behind a ref that ends a sentence is not its own', () => {
  const text = 'deploy shop (release/1.0), please.';
  const shop = { kind: 'project', name: 'shop', start: 7, end: 11 } as Mention; // all that is read of it
  expect(findGitRefs(text, [shop], false)[0]?.value).toBe('release/1.0');
});
