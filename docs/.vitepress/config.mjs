import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { listPages, readGroups, ROOT, writeIndex } from './pages.mjs';

// `npm run docs` builds docs/site from the documents, which lie beside the code that they describe.

const groups = readGroups(readFileSync(join(ROOT, 'README.md'), 'utf8'));
const pages = new Set(listPages());
/** @param {string} path */
const toAddress = (path) => (path === 'README.md' ? '/' : `/${path.replace(/\.md$/, '')}`);

export default defineConfig({
  title: 'Signalbox',
  description: 'A team runs its servers from a chat. A model proposes, a runtime decides, people approve.',
  srcDir: '..',
  outDir: './site',
  cacheDir: '../node_modules/.cache/vitepress',
  srcExclude: globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', '.signalbox', 'docs/site'] }).filter(
    (path) => !pages.has(path),
  ),
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  lastUpdated: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: groups.map(({ title, pages: listed }) => ({
      text: title,
      items: listed.map(({ name, path }) => ({ text: name[0].toUpperCase() + name.slice(1), link: toAddress(path) })),
    })),
  },
  markdown: {
    html: false, // <project> is a text, and no element
    languageAlias: { cedar: 'java', chat: 'log', env: 'ini' },
    config: (markdown) => {
      markdown.block.ruler.disable('snippet'); // a document may begin a line with <<<
      markdown.core.ruler.push('links-to-sources', ({ tokens, env }) => {
        for (const { children } of tokens) if (children) unlinkSources(children, env.relativePath);
      });
    },
  },
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'llms.txt'), writeIndex()),
});

/** A file of the code is no page of the site: its link becomes its name. Any other dead link fails the build. */
function unlinkSources(tokens, from) {
  let isOpen = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const [href] = decodeURI(token.attrGet('href') ?? '').split('#');
      const target = posix.join(posix.dirname(from === 'index.md' ? 'README.md' : from), href);
      isOpen = href !== '' && !/^[a-z]+:|^\//.test(href) && !pages.has(target) && existsSync(join(ROOT, target));
      if (target === 'README.md') token.attrSet('href', '/');
      if (isOpen) Object.assign(token, { tag: 'span', attrs: [['title', target]] });
    } else if (token.type === 'link_close' && isOpen) {
      isOpen = false;
      token.tag = 'span';
    }
  }
}
