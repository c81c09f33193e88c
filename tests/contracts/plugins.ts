import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPlugins } from '@signalbox/plugins/load-plugins';
import { loadPolicySet, readPolicyFolders } from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { loadAgents } from '@signalbox/worker/agents/registry';
import { loadWorkerParts } from '@signalbox/worker/plugin-parts';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { describe, expect, it } from 'vitest';
import { findMissing, findUntranslatable, readLanguages } from '../architecture/messages.ts';
import { describeAgent } from './agents.ts';
import { describeCapability } from './tools.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LANGUAGES = ['de', 'en', 'es', 'ru', 'zh'];

/** What every plug-in promises. `folder`: from the root of the repository. */
export async function describePlugin(folder: string): Promise<void> {
  const [plugin] = await loadPlugins(folder);
  if (!plugin) throw new Error(`${folder} holds no plug-in`);
  const parts = await loadWorkerParts(folder);
  const read = (path: string): string => readFileSync(join(ROOT, folder, path), 'utf8');
  const filesBelow = (path: string, end: string): readonly string[] =>
    readdirSync(join(ROOT, folder, path), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(end) && !name.includes('.test.'))
      .map((name) => read(join(path, name)));

  describe(`the plug-in ${plugin.name}`, () => {
    it('the plug-in’s name is the name of its folder', () => {
      expect(plugin.name).toBe(basename(folder));
    });

    it('the plug-in loads together with the agents and tools of the core', async () => {
      const agents = (await loadAgents(parts.agents)).map(({ id }) => id);
      expect(agents).toEqual([...new Set(agents)]);
      expect(createRegistry(await loadCapabilities([], parts.groups)).groups).toEqual(
        expect.arrayContaining([...parts.groups]),
      );
    });

    it('the plug-in’s sentences, error codes and policy reasons exist in every language', () => {
      const { languages: catalog, errors = {}, policies } = plugin;
      const languages = readLanguages(...(catalog ? [fileURLToPath(catalog)] : []));
      expect([...languages.keys()].toSorted()).toEqual(LANGUAGES);
      const rules = policies ? filesBelow('policy', '.cedar').join('\n') : '';
      const english = new Map([
        ...(languages.get('en') ?? []),
        ...Object.entries(errors).map(([code, text]) => [`errors.${code}`, text] as const),
        ...[...rules.matchAll(/@reason\("([^"]+)"\)/g)].map(([, text = '']) => [`reasons.${text}`, text] as const),
      ]);
      for (const [language, sentences] of languages) {
        if (language === 'en') continue;
        expect(findMissing(language, sentences, english)).toEqual([]);
        expect(findUntranslatable(language, sentences, english)).toEqual([]);
      }
    });

    it('the plug-in lists exactly the tables that its migrations create', () => {
      const made = filesBelow('postgres', '.sql').flatMap((sql) =>
        [...sql.matchAll(/^create table (?:if not exists )?(\w+)/gim)].map(([, table]) => table),
      );
      expect(new Set(Object.keys(plugin.tables ?? {}))).toEqual(new Set(made));
    });

    it('the plug-in’s policies load together with those of the core, and their examples hold', async () => {
      const own = plugin.policies ? [fileURLToPath(plugin.policies)] : [];
      const set = await loadPolicySet(await readPolicyFolders([POLICY_FOLDER, ...own]), 'UTC');
      expect(set.rules.length).toBeGreaterThan(20);
    });

    it('the plug-in’s documentation explains its agents and error codes', () => {
      const pages = filesBelow('docs', '.md').join('\n');
      const names = [...parts.agents.map(({ id }) => id), ...Object.keys(plugin.errors ?? {})];
      expect(names.filter((name) => !pages.includes(name))).toEqual([]);
    });
  });

  for (const agent of parts.agents) describeAgent(agent);
  const source = filesBelow('src', '.ts').join('\n');
  for (const group of parts.groups) describeCapability(group, source, group.uses);
}
