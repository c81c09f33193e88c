import { expect, it } from 'vitest';
import { orderTags } from './version-order.ts';

it.each([
  // Tags of fast-uri, whose three lines were released within an hour.
  [
    ['v2.4.4', 'v4.1.2', 'v3.1.7', 'v4.1.1'],
    ['v4.1.2', 'v4.1.1', 'v3.1.7', 'v2.4.4'],
  ],
  // Tags of itsdangerous, where a line of releases has a tag too.
  [
    ['2.1.x', '2.2.0', '2.1.2', '2.0.x', '1.1.0'],
    ['2.2.0', '2.1.2', '1.1.0', '2.1.x', '2.0.x'],
  ],
  [
    ['5.0.0-rc.1', '4.9', '4.10'],
    ['4.10', '4.9', '5.0.0-rc.1'],
  ],
  [
    ['v2', 'v10', 'nightly'],
    ['v10', 'v2', 'nightly'],
  ],
  [
    ['release-b', 'release-a'],
    ['release-b', 'release-a'],
  ],
])('the newest of the tags %j is the highest release', (tags, ordered) => {
  expect(orderTags(tags)).toEqual(ordered);
});
