import { existsSync, readFileSync } from 'node:fs';
import { posix, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LINK = /\[([^\]]+)\]\(([^)#\s]+\.md)(?:#[^)\s]*)?\)/g;

/**
 * @typedef {{ title: string, pages: readonly { name: string, path: string }[] }} Group pages below one heading
 */

/**
 * Reads the groups of pages below “Read on” of the README: the table of contents of the site and of llms.txt.
 * @param {string} readme
 * @returns {readonly Group[]}
 */
export function readGroups(readme) {
  const [, part = ''] = readme.split(/^## Read on$/m);
  return [...part.matchAll(/^- ([^:\n]+): ([^]*?)(?=^- |\n\n)/gm)].map(([, title = '', list = '']) => ({
    title,
    pages: [...list.matchAll(LINK)].map(([, name = '', path = '']) => ({ name, path })),
  }));
}

/**
 * Lists the pages that links lead to from the README, directly or not. The sources of the demo project are no documents.
 * @returns {readonly string[]}
 */
export function listPages() {
  const found = new Set(['README.md']);
  for (const path of found) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const [, , link = ''] of text.matchAll(LINK)) {
      const target = posix.join(posix.dirname(path), link);
      const isPage = !/^[a-z]+:/.test(link) && !/^(?:\.|infra\/demo\/releases)/.test(target);
      if (isPage && existsSync(join(ROOT, target))) found.add(target);
    }
  }
  return [...found];
}

/**
 * Writes llms.txt: the pages with what each says first. https://llmstxt.org describes the form.
 * @returns {string}
 */
export function writeIndex() {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const groups = readGroups(readme).map(({ title, pages }) => {
    const lines = pages.map(({ name, path }) => `- [${name}](${path}): ${readFirstSentence(path)}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Signalbox\n\n> ${readFirstSentence('README.md')}\n\n${groups.join('\n')}`;
}

/** The first sentence below the title of a page, without its links. */
function readFirstSentence(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const [paragraph = ''] = text
    .replace(/^# .*\n+/, '')
    .split('\n\n')
    .filter((one) => /^[A-Z`“]/.test(one));
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
