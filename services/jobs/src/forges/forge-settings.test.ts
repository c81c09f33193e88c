import { describe, expect, it } from 'vitest';
import { findForgeRepository, parseForges } from './forge-settings.ts';

const find = (url: string, setting = '') => {
  const protocol = url.startsWith('https:') ? 'https' : 'ssh';
  const found = findForgeRepository(url, protocol, parseForges(setting).forges);
  return found && { kind: found.forge.kind, api: found.forge.api, names: found.names.join('/') };
};

describe('the forge of a repository', () => {
  it.each([
    ['https://github.com/ada/shop.git', 'github', 'https://api.github.com', 'ada/shop'],
    ['https://github.com/ada/shop/', 'github', 'https://api.github.com', 'ada/shop'],
    ['git@github.com:ada/shop.git', 'github', 'https://api.github.com', 'ada/shop'],
    ['ssh://git@gitlab.com:22/group/sub/shop', 'gitlab', 'https://gitlab.com/api/v4', 'group/sub/shop'],
    ['https://codeberg.org/ada/shop', 'gitea', 'https://codeberg.org/api/v1', 'ada/shop'],
  ])('of %s is worked out from its address', (url, kind, api, names) => {
    expect(find(url)).toEqual({ kind, api, names });
  });

  it('is the one that is configured for its address, with its port and folder', () => {
    const setting =
      'gitlab https://git.corp:8443/code/, github https://hub.corp https://hub.corp:9/rest/v3/ , none https://github.com';
    expect(find('https://git.corp:8443/code/a/b/c.git', setting)).toEqual({ kind: 'gitlab', api: 'https://git.corp:8443/code/api/v4', names: 'a/b/c' }); // prettier-ignore
    expect(find('https://hub.corp/a/b', setting)).toMatchObject({ kind: 'github', api: 'https://hub.corp:9/rest/v3' });
    expect(find('https://github.com/a/b', setting)).toMatchObject({ kind: 'none' });
    for (const other of ['https://git.corp/code/a/b', 'https://git.corp:8443/a/b', 'https://git.corp:8443/codex/a/b'])
      expect(find(other, setting)).toBeNull();
  });

  it.each([
    'https://github.com.evil.example/ada/shop', 'https://evil.example/github.com/ada', 'https://github.com/ada', 'https://github.com/ada/shop/tree/main',
    'https://github.com/ada/..%2f..', 'https://github.com/ada/a%2Fb', 'https://github.com:444/ada/shop', 'git@evil.example:github.com/ada/shop',
  ])('is none for %s', (url) => expect(find(url)).toBeNull()); // prettier-ignore

  it.each(['svn https://a', 'gitlab http://a', 'gitlab', 'gitlab https://u:p@a', 'gitlab https://a ftp://b', 'gitlab https://a https://b c', 'gitlab https://a?x'])(
    'cannot be configured as %s',
    (setting) => expect(parseForges(`github https://hub.corp, ${setting}`).problem).toBe(setting),
  ); // prettier-ignore
});
