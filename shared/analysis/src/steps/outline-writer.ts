import { z } from 'zod';
import { sayItem, sayPlace } from '../reports/say-findings.ts';
import { say } from '@signalbox/messages/say';
import type { Step } from './step.ts';

const Named = z.object({ name: z.string() });
/** Summaries of earlier steps. Missing ones are left out of the outline. */
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
export const docManager: Step<z.infer<typeof Input>, z.infer<typeof Written>> = {
  input: Input,
  output: Written,
  analyzers: [],
  async run({ discovery, stack }, context) {
    const languages = stack?.summaries.stack.languages ?? [];
    const { folders = [] } = discovery?.summaries.discovery ?? {};
    const missing = (await context.findings()).filter(({ analyzer }) => analyzer === 'documentation');
    const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
    const parts = [
      `# ${context.project}`,
      ...(languages.length === 0
        ? []
        : [
            `## ${say('findings.outlineLanguages')}`,
            list(languages.map(({ name, percent }) => `${name}: ${percent} %`)),
          ]),
      ...(folders.length === 0
        ? []
        : [
            `## ${say('findings.outlineFolders')}`,
            list(
              folders.map(
                ({ path, files }) =>
                  `${sayPlace({ path, line: null }) || '`.`'}: ${say('findings.outlineFiles', { files })}`,
              ),
            ),
          ]),
      ...(missing.length === 0
        ? []
        : [`## ${say('findings.outlineMissing')}`, list(missing.map((finding) => oneLine(sayItem(finding))))]),
    ];
    await context.write(PATH, `${parts.join('\n\n')}\n`, 'text/markdown; charset=utf-8');
    return { documents: [PATH] };
  },
};

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
