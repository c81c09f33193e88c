import { describe, expect, it } from 'vitest';
import { LANGUAGES, runInLanguage } from '@signalbox/messages/language';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

const { catalog } = createRegistry(await loadCapabilities());
const NAMES = { project: ['shop', 'blog'], server: ['local'] };
const story = PriorContext.parse({ names: NAMES });

/** Words that nobody understands, in the letters of each language. */
const UNCLEAR: Readonly<Record<string, string>> = {
  en: 'frobnicate the gizmo sideways',
  de: 'bitte den Quastel umflöten',
  es: 'hazme un chirimbolo redondo',
  ru: 'закудрявь мне бокрёнка',
  zh: '唱首歌吧',
};

const labelsOf = (text: string, language: string): readonly string[] =>
  runInLanguage(language, () => explainMessage(catalog, text, story).buttons);

/** The tools that a pressed button leads to: called, asked about or offered first; `help` for help, `menu` for another menu. */
function pressed(label: string, before: string, language: string): string {
  const { calls, question, says, buttons } = runInLanguage(language, () => {
    const first = explainMessage(catalog, before, story);
    const menu = { from: 'signalbox' as const, text: first.texts.join() };
    return explainMessage(
      catalog,
      label,
      PriorContext.parse({ names: NAMES, messages: [{ from: 'person', text: before }, menu] }),
    );
  });
  const found = calls[0]?.tool ?? question?.readings?.[0]?.tool ?? question?.tool;
  return found ?? (says?.kind === 'cannot' && buttons.length > 0 ? 'menu' : `${says?.kind}`);
}

describe.each(LANGUAGES)('what is not understood in %s', (language) => {
  const unclear = UNCLEAR[language] ?? '';

  it('is answered with a menu of the projects, requests, servers and help, and with no guess', () => {
    const labels = labelsOf(unclear, language);
    expect(labels.slice(0, 2)).toEqual(['shop', 'blog']);
    expect(labels).toHaveLength(6);
    expect(explainMessage(catalog, unclear, story)).toMatchObject({ calls: [], offered: [] });
  });

  it('has buttons that are all understood', () => {
    const [project = '', , ...rest] = labelsOf(unclear, language);
    expect(pressed(project, unclear, language)).toBe('menu');
    expect(rest.map((label) => pressed(label, unclear, language))).toEqual([
      'list_projects',
      'get_my_requests',
      'list_managed_servers',
      'help',
    ]);
  });

  it('goes one tap deeper at the name of a project', () => {
    expect(labelsOf('shop', language).map((label) => pressed(label, 'shop', language))).toEqual([
      'get_project_status',
      'get_service_logs',
      'diagnose_service',
      'trigger_deploy',
      'rollback_deploy',
    ]);
  });

  it('offers no change after a question', () => {
    expect(labelsOf('shop?', language)).toHaveLength(3);
  });
});
