import { describe, expect, it } from 'vitest';
import { asksAbout, readSearch } from './searches.ts';
import { isRefusal, readSmallTalk } from './small-talk.ts';

describe('small talk', () => {
  it.each([
    ['thanks', 'thanks'],
    ['Thank you so much!!', 'thanks'],
    ["perfect, that's all", 'thanks'],
    ['ok, got it', 'thanks'],
    ['ok', 'agreed'],
    ['+1', 'agreed'],
    ['Ben: +1.', 'agreed'],
    ['-1', 'chat'],
    ['Good morning team', 'greeting'],
    ['hi', 'greeting'],
    ['/start', 'help'],
    ['help me please', 'help'],
    ['what can you do?', 'help'],
    ['never mind', 'cancel'],
    ['please cancel that', 'cancel'],
    ["don't archive shop", 'hands-off'],
    ['list the servers', null],
    ['hi, list the servers', null],
    ['thanks, now list the servers', null],
    ['start a project', null],
    ['cancel the deploy', null],
    ['good server names', null],
    ["we don't need port 3001 anymore", null],
    ['', null],
  ])('“%s” is %s', (text, talk) => {
    expect(readSmallTalk(text)).toBe(talk);
  });

  it.each(['no', 'nope', 'stop', 'none', 'cancel', 'forget it'])('“%s” refuses a question', (text) => {
    expect(isRefusal(text)).toBe(true);
  });

  it('of a refusal is short', () => {
    expect(isRefusal('no, use web-2')).toBe(false);
  });
});

describe('questions', () => {
  it.each([
    'how do I deploy?',
    'why do I need this',
    'what does sensitive mean',
    'what happens if I release it',
    'explain roles',
    'who can approve',
  ])('“%s” is about something', (text) => expect(asksAbout(text)).toBe(true));

  it.each([
    'what servers do we have',
    'which ports are taken',
    'how is shop doing',
    'where can I put 2 GB',
    'can you list the servers',
  ])('“%s” is for something', (text) => expect(asksAbout(text)).toBe(false));

  it.each([
    ['search the docs for retention', { query: 'retention', scope: 'docs' }],
    ['look in the history for shop', { query: 'shop', scope: 'history' }],
    ['search for blue whales', { query: 'blue whales', scope: 'all' }],
    ['where is the documentation about roles?', { query: 'roles', scope: 'docs' }],
    ['search a server with 2 GB', null],
    ['list the servers', null],
  ])('“%s” searches for %j', (text, query) => {
    expect(readSearch(text)).toEqual(query);
  });
});
