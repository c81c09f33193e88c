import { z } from 'zod';
import { sayFindingItem, sayLocation } from '../reports/say-findings.ts';
import { say } from '@signalbox/messages/say';
import type { AnalysisStep } from './step.ts';

const Named = z.object({ name: z.string() });
/** Summaries from earlier steps. A missing summary is left out of the outline. */
const Input = z.object({
  discovery: z
    .object({
      summaries: z.object({
        discovery: z.object({ files: z.number(), folders: z.array(z.object({ path: z.string(), files: z.number() })) }),
      }),
    })
    .optional()
    .catch(undefined),
  stack: z
    .object({ summaries: z.object({ stack: z.object({ languages: z.array(Named.extend({ percent: z.number() })) }) }) })
    .optional()
    .catch(undefined),
});
const Written = z.object({ documents: z.array(z.string()) });

const PATH = 'var/artifacts/docs/outline.md';

/** Writes an outline of a repository: its languages, its folders, and gaps of its documentation. */
export const docManagerStep: AnalysisStep<z.infer<typeof Input>, z.infer<typeof Written>> = {
  input: Input,
  output: Written,
  analyzers: [],
  async run({ discovery, stack }, context) {
    const languages = stack?.summaries.stack.languages ?? [];
    const { folders = [] } = discovery?.summaries.discovery ?? {};
    const missing = (await context.findings()).filter(({ analyzer }) => analyzer === 'documentation');
    const describeFolder = (path: string, files: number): string =>
      `${sayLocation({ path, line: null }) || '`.`'}: ${say('findings.outlineFiles', { files })}`;
    const parts = [
      `# ${context.project}`,
      ...writeSection(
        say('findings.outlineLanguages'),
        languages.map(({ name, percent }) => `${name}: ${percent} %`),
      ),
      ...writeSection(
        say('findings.outlineFolders'),
        folders.map(({ path, files }) => describeFolder(path, files)),
      ),
      ...writeSection(
        say('findings.outlineMissing'),
        missing.map((finding) => sayFindingItem(finding).replaceAll(/\s+/g, ' ')),
      ),
    ];
    await context.write(PATH, `${parts.join('\n\n')}\n`, 'text/markdown; charset=utf-8');
    return { documents: [PATH] };
  },
};

/** Returns a Markdown heading and list; empty when there are no items. */
function writeSection(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`## ${title}`, items.map((item) => `- ${item}`).join('\n')];
}
