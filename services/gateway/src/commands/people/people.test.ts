import { expect, test } from 'vitest';
import { describePeople } from './people.ts';

test('a long list of people is cut, and its last line says how many are left out', () => {
  const users = Array.from({ length: 60 }, (_, n) => ({
    userKey: String(n),
    name: 'P',
    role: 'viewer' as const,
    channel: 'telegram',
  }));
  expect(describePeople(users, [])).toContain('60 people may speak here');
  expect(describePeople(users, [])).toContain('- and 10 more');
});

test('an open invitation is listed with its role, its name if it has one, and its remaining time', () => {
  const expiresAt = new Date(7_200_000);
  const invitations = [
    { role: 'operator', name: 'Ben', expiresAt },
    { role: 'viewer', name: null, expiresAt },
  ] as const;
  const text = describePeople([], invitations, 0);
  expect(text).toContain('- Invitation for Ben as an operator, 2 h left');
  expect(text).toContain('- Invitation as a viewer, 2 h left');
});
