import { joinPatterns } from '../any-of.ts';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import type { Analyzer, FileFacts, RepositoryReader } from '../../analyzer.ts';
import { toEvidence, toSafeName } from '../evidence.ts';
import { isGenerated, isTest, isVendored } from '../kinds-of-files.ts';
import { createProblem, numberDuplicates, type Problem } from '../problem.ts';
import { findLanguage } from '../quality/source/languages.ts';
import { createPathLookup, resolveTarget } from './link-targets.ts';
import { readMarkdown, type Link } from './read-markdown.ts';

/** Facts of a documentation page, or of a package manifest with its scripts. */
export type DocumentationFacts =
  | {
      readonly kind: 'page';
      readonly links: readonly Link[];
      readonly anchors: readonly string[];
      /** Package scripts that the page tells the reader to run. */
      readonly scripts: readonly { readonly name: string; readonly line: number }[];
      readonly hasCommands: boolean;
      readonly isOfSite: boolean;
    }
  | { readonly kind: 'package'; readonly scripts: readonly string[] };

type PageFacts = Extract<DocumentationFacts, { kind: 'page' }>;
type Page = Pick<FileFacts<PageFacts>, 'path' | 'facts'>;

/** Figures on documentation for the health score. */
export type DocumentationSummary = {
  readonly pages: number;
  readonly links: number;
  readonly deadLinks: number;
  readonly readmeHasCommands: boolean;
  readonly hasContributing: boolean;
};

/** Checks links and commands in documentation pages. Never fetches external addresses. */
export const DOCUMENTATION_ANALYZER: Analyzer<DocumentationFacts> = {
  name: 'documentation',
  version: 2,
  reach: 'commit',
  wants: ({ path }) =>
    (PAGE.test(path) || PACKAGE.test(path)) && !isTest(path) && !isVendored(path) && !isGenerated(path),
  inspect(path, text) {
    if (PACKAGE.test(path)) return { kind: 'package', scripts: readScripts(text) };
    const { links, anchors, code, hasCodeBlock, hasFrontMatter } = readMarkdown(text);
    return {
      kind: 'page',
      links: links
        .filter(({ target }) => !/^(?:[a-z][a-z0-9+.-]+:(?!\/\/\/)|\/\/)/i.test(target))
        .map(({ target, line }) => ({ target: target.slice(0, 300), line })),
      anchors,
      scripts: readCalls(code),
      hasCommands:
        hasCodeBlock || code.some((one) => /\S \S/.test(one.text)) || links.some(({ target }) => leadsOn(target)),
      isOfSite: hasFrontMatter,
    };
  },
  async conclude(noted, view) {
    const pages = noted.flatMap(({ path, facts }) => (facts.kind === 'page' ? [{ path, facts }] : []));
    const packages = noted.flatMap(({ facts }) => (facts.kind === 'package' ? [facts.scripts] : []));
    const links = findDeadLinks(pages, view);
    const readme = pages.find(({ path }) => /^(?:\.github\/|docs\/)?readme\.\w+$/i.test(path));
    const missing = await findMissingPages(view);
    const found = [
      ...(readme && !readme.facts.hasCommands && hasMuchCode(view)
        ? [createFinding(readme.path, 'readme-without-commands', 'low')]
        : []),
      ...links,
      ...findUnknownScripts(pages, packages),
      ...missing,
    ];
    const summary: DocumentationSummary = {
      pages: pages.length,
      links: pages.reduce((sum, { facts }) => sum + facts.links.length, 0),
      deadLinks: links.length,
      readmeHasCommands: readme?.facts.hasCommands ?? false,
      hasContributing: hasPage(view, 'CONTRIBUTING'),
    };
    return { found: numberDuplicates(found), summary };
  },
};

const PAGE = /\.(?:md|markdown)$/i;
const PACKAGE = /(?:^|\/)package\.json$/;
const IMAGE = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp)$/i;
/** True for a link from the readme to further documentation, false for images and badges. */
function leadsOn(target: string): boolean {
  return PAGE.test(target) || (/^https?:/i.test(target) && !IMAGE.test(target) && !/badge|shields\.io/i.test(target));
}

const MAX_SCRIPTS = 200;

function readScripts(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts = typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? parsed.scripts : null;
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts).slice(0, MAX_SCRIPTS) : [];
  } catch {
    // A malformed manifest is reported by the dependency rules.
    return [];
  }
}

/** Commands that create a new package; scripts named after them are not in this repository. */
const MAKES_PACKAGE =
  /\b(?:npm|yarn|pnpm|bun)\s+(?:create|init)\b|\bnpx\s{1,8}(?:--?\w{1,20}\s{1,8}){0,4}create-|\bdegit\b/;

const RUN_SCRIPT = /(?<![\w-])(?:npm|pnpm|yarn)\s{1,3}run\s{1,3}([a-z][\w:.-]{0,80})(?![\w/*<[{])/g;

function readCalls(code: readonly { readonly text: string; readonly line: number }[]): PageFacts['scripts'] {
  if (code.some(({ text }) => MAKES_PACKAGE.test(text))) return [];
  return code
    .flatMap(({ text, line }) =>
      [...text.matchAll(RUN_SCRIPT)].map(([, name = '']) => ({ name: name.replace(/(?<![.:])[.:]+$/, ''), line })),
    )
    .slice(0, MAX_SCRIPTS);
}

function createFinding(
  path: string,
  rule: string,
  severity: RawFinding['severity'],
  parts: Partial<Problem> = {},
): RawFinding {
  return { ...createProblem(`documentation/${rule}`, severity, parts), path };
}

/** Pages whose links are not checked: historical records, and pages shown on another site. */
const NOT_FOLLOWED =
  /(?:^|\/)(?:change|history|release|news)[^/]*$|(?:^|\/)\.github\/[^]{0,200}template|(?:^|\/)(?:issue|pull_request)_template/i;
/** Configuration files of static site generators, whose sites have their own addresses. */
const SITE = joinPatterns(
  /(?:^|\/)(?:mkdocs\.ya?ml|docusaurus\.config\.\w+|_config\.ya?ml|book\.toml|\.vitepress\/config\.\w+)$/,
  /(?:^|\/)(?:hugo\.\w+|conf\.py|antora\.yml|astro\.config\.\w+|gatsby-config\.\w+|mint\.json|docs\.json)$/,
  /(?:^|\/)(?:_sidebar\.md|SUMMARY\.md|nextra\.config\.\w+|source\.config\.\w+)$/,
);

function findDeadLinks(pages: readonly Page[], view: RepositoryReader): readonly RawFinding[] {
  const has = createPathLookup(view);
  const anchorsOf = new Map(pages.map(({ path, facts }) => [path, new Set(facts.anchors)]));
  const sites = view.files
    .filter(({ path }) => SITE.test(path))
    .map(({ path }) => path.replace(SITE, '').replace(/^$/, '.'));
  return pages
    .filter(({ path }) => !NOT_FOLLOWED.test(path))
    .flatMap((page) => {
      const isOfSite =
        page.facts.isOfSite ||
        (page.path.includes('/') && sites.some((site) => site === '.' || page.path.startsWith(`${site}/`)));
      return page.facts.links.flatMap((link) => findDeadLink({ page, link, isOfSite, has, anchorsOf }));
    });
}

interface LinkContext {
  readonly page: Page;
  readonly link: Link;
  readonly isOfSite: boolean;
  readonly has: (path: string) => boolean;
  readonly anchorsOf: ReadonlyMap<string, ReadonlySet<string>>;
}

function findDeadLink({ page, link, isOfSite, has, anchorsOf }: LinkContext): readonly RawFinding[] {
  const target = resolveTarget(page.path, link.target);
  const parts = {
    line: link.line,
    evidence: toEvidence(link.target),
    values: { target: toSafeName(link.target) },
    identity: link.target.slice(0, 300),
  };
  if (target.kind === 'unknown') return [];
  if (target.kind === 'outside') return isOfSite ? [] : [createFinding(page.path, 'link-outside', 'low', parts)];
  // A generated site serves pages without their file extension and static files at other addresses.
  if (
    isOfSite &&
    (link.target.startsWith('/') ||
      !/\.\w+(?:[?#].*)?$/s.test(link.target) ||
      (IMAGE.test(target.path) && link.target.startsWith('..')))
  )
    return [];
  // A link target that is a bare name may be an identifier or a wiki page.
  if (!/[./]/.test(link.target) && !link.target.startsWith('#')) return [];
  if (!has(target.path)) {
    // HTML pages are generated from files in another format, which may be missing here.
    if (/\.html?$/.test(target.path)) return [];
    // A code host also serves Markdown pages without their extension.
    if (has(`${target.path}.md`) && isOfSite) return [];
    const isImage = IMAGE.test(target.path);
    return [createFinding(page.path, isImage ? 'missing-image' : 'dead-link', 'low', parts)];
  }
  const anchors = anchorsOf.get(target.path);
  const anchor = target.anchor.toLowerCase().replace(/^user-content-/, '');
  if (isOfSite || !anchors || anchors.has(anchor) || /^(?:$|top$|l\d|readme$|:~:)/.test(anchor)) return [];
  return [createFinding(page.path, 'dead-anchor', 'low', parts)];
}

/** Pages about work on this repository itself. Other guides may show commands for the reader's own project. */
const OWN_COMMANDS = /(?:^|\/)(?:readme|contributing|develop|hacking|install|setup|building)[^/]*$/i;

function findUnknownScripts(pages: readonly Page[], packages: readonly (readonly string[])[]): readonly RawFinding[] {
  if (packages.length === 0) return [];
  const known = new Set(packages.flat());
  return pages
    .filter(({ path }) => OWN_COMMANDS.test(path))
    .flatMap(({ path, facts }) =>
      facts.scripts
        .filter(({ name }) => !known.has(name))
        .map(({ name, line }) =>
          createFinding(path, 'unknown-script', 'low', {
            line,
            evidence: toEvidence(`npm run ${name}`),
            values: { script: toSafeName(name) },
            identity: name,
          }),
        ),
    );
}

/** Number of authors above which a repository needs a contributing guide. */
const SEVERAL_AUTHORS = 3;
const MUCH_CODE_BYTES = 20_000;

async function findMissingPages(view: RepositoryReader): Promise<readonly RawFinding[]> {
  const { authors, tags } = await view.history();
  if (authors < SEVERAL_AUTHORS || !hasMuchCode(view)) return [];
  const wanted = ['CONTRIBUTING', 'SECURITY', ...(tags > 0 ? ['CHANGELOG'] : [])];
  return wanted
    .filter((page) => !hasPage(view, page))
    .map((page) => createFinding('.', 'missing-page', 'info', { values: { page }, identity: page }));
}

const OTHER_NAMES: Readonly<Record<string, string>> = { CHANGELOG: 'change|history|news|release' };

function hasPage({ files }: RepositoryReader, page: string): boolean {
  const name = new RegExp(`^(?:\\.github/|docs/)?(?:${OTHER_NAMES[page] ?? page})[^/]*$`, 'i');
  return files.some(({ path }) => name.test(path));
}

function hasMuchCode({ files }: RepositoryReader): boolean {
  let bytes = 0;
  for (const { path, sizeBytes } of files) if (findLanguage(path) && !isVendored(path)) bytes += sizeBytes;
  return bytes > MUCH_CODE_BYTES;
}
