import { expect, test } from 'vitest';
import { findPort } from './start.ts';

test.each([
  [['Server running at http://localhost:3000/'], 3000],
  [['  ➜  Local:   http://127.0.0.1:5173'], 5173],
  [['Listening on port 8080', 'GET /'], 8080],
  [['[::]:8000 (http)'], 8000],
  [['up on *:4000'], 4000],
  [['port: 20001'], null],
  [['12:30:45 hello', 'version 1.2'], null],
])("the port that is found in the program's output %j is %s", (lines, port) => {
  expect(findPort(lines, 20_001)).toBe(port);
});
