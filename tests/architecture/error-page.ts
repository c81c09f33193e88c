import type { Remedy } from '@signalbox/contracts/errors';

const HEAD = `# Errors

This page lists every error code with its sentence and with what to do. \`npm test -- tests/architecture.test.ts -u\` makes it from
[errors.ts](../shared/contracts/src/errors.ts) (sentences) and [remedies.json](../shared/contracts/src/remedies.json) (what to do).
Signalbox fills in the names in braces. It [marks](governance.md#text-from-outside) texts of outsiders in a sentence before a model reads them.

To find one occurrence, search the logs for its reference or \`traceId\`, or run \`npm run signalbox -- dlq list\`.
`;

/** Who acts on an error, by its remedy, in the order of the page. */
const SECTIONS: Readonly<Record<Remedy, string>> = {
  'page-operator': 'For operators\n\nAn operator has to act. The sentence is in the log at level `error`.',
  retry: 'Tried again\n\nSignalbox tries again by itself, after growing pauses. An operator acts when the error stays.',
  'tell-user': 'For the person who asked\n\nThe person reads the sentence in the chat.',
  'tell-model': 'For the agent\n\nThe agent reads the sentence, then tries another way or asks the person.',
};

/** The page of all errors: each code with its sentence and what to do, by who has to do it. Codes keep their order. */
export function describeErrors(
  errors: Readonly<Record<string, { readonly remedy: Remedy; readonly say: string }>>,
  remedies: Readonly<Record<string, string>>,
): string {
  const sections = Object.entries(SECTIONS).map(([remedy, title]) => {
    const entries = Object.entries(errors).filter(([, error]) => error.remedy === remedy);
    const texts = entries.map(([code, { say }]) =>
      [`### ${code}`, `> ${escapeMarkdown(say)}`, remedies[code] ?? null].filter((part) => part !== null).join('\n\n'),
    );
    return [`## ${title}`, ...texts].join('\n\n');
  });
  return `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`;
}

/** A sentence as prettier leaves it: its line breaks and stars are no markup. */
function escapeMarkdown(sentence: string): string {
  return sentence.replaceAll('\n', ' ').replaceAll(/[*_](?=\S)/g, '\\$&');
}
