import { describe, expect, it } from 'vitest';
import { checkClaims } from './claims.ts';

const unbacked = (text: string, ...results: string[]): readonly string[] => checkClaims(text, { results }).unbacked;

describe('a claim of an effect', () => {
  it.each([
    'I deployed shop 1.4.2 to production.',
    'I have now restarted the api.',
    'The database has been deleted.',
    'shop 1.4.2 is now deployed.',
    'Deployed shop to staging ✅',
    'Done: created the project.',
    '**Restarted** `api`.',
    'All set! Your old logs were purged.',
    "We've rolled back to 1.4.1.",
    '- removed the volume',
  ])('without a receipt is left out: %s', (text) => {
    const checked = checkClaims(text, { results: [] });
    expect(checked.unbacked).toHaveLength(1);
    expect(checked.text).toContain('nothing in this turn did that');
  });

  it.each([
    ['Deployed shop 1.4.2 to staging.', '{"deployed":"shop 1.4.2"}'],
    ['The api was restarted yesterday at 10:00.', '{"restarted_at":"yesterday"}'],
    ['I have registered the server.', 'Registered web-1.'],
  ])('that a result of this turn backs stays: %s', (text, result) => {
    expect(checkClaims(text, { results: [result] })).toEqual({ text, unbacked: [] });
  });

  it.each([
    'Shall I say that it was deployed?',
    'Nothing was deleted.',
    'It has not been restarted yet.',
    'When it is deployed I will tell you.',
    'It will be removed once somebody approves.',
    'The deploy needs approval.',
    'Your projects: shop, blog.',
    '```\nI deployed it.\n```',
    '> I deployed it, says the log.',
    'There is nothing to do.',
    'The language model gave no usable answer, so I stopped. Please say it again in other words.',
    'I stopped after 20 steps without reaching the end.',
  ])('is not seen where there is none: %s', (text) => {
    expect(checkClaims(text, { results: [] })).toEqual({ text, unbacked: [] });
  });

  it('takes only its own sentence away', () => {
    const { text } = checkClaims('Two servers answer. I restarted the third. Port 4000 is free.', { results: [] });
    expect(text).toMatch(/^Two servers answer\. _\(Left out: .*\)_ Port 4000 is free\.$/);
  });

  it('of one effect is not backed by another', () => {
    expect(unbacked('I deployed shop. I deleted the old one.', 'Deployed shop.')).toEqual(['I deleted the old one.']);
  });

  it('does not take a deployment that was asked for to be one that is over', () => {
    const asked = '{"deployment":"act_1","version":"1.1","release":null,"kind":"rollback","state":"queued"}';
    const said = [
      'I deployed demo 1.1.',
      'I released demo 1.1.',
      'demo was rolled back.',
      'demo 1.1 has been shipped.',
    ];
    expect(said.flatMap((text) => unbacked(text, `${asked} demo 1.1 is on its way to staging.`))).toEqual(said);
    expect(said.flatMap((text) => unbacked(text, 'demo 1.1 in staging: deployed 3 min ago.'))).toEqual([]);
  });

  it('costs time in proportion to the length of a text', () => {
    const cpu = (text: string): number => {
      const before = process.cpuUsage();
      checkClaims(text, { results: [] });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const make = (n: number): string => 'the now just also already '.repeat(n);
    cpu(make(100));
    expect(cpu(make(4_000)) / Math.max(1, cpu(make(1_000)))).toBeLessThan(12);
  });
});
