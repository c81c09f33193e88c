import type { Remedy } from '@signalbox/contracts/errors';

const HEAD = `# Errors

Made from the catalog by \`npm test -- tests/architecture.test.ts -u\`: sentences are in
[errors.ts](../shared/contracts/src/errors.ts), and what to do is in [remedies.json](../shared/contracts/src/remedies.json).
Names in braces are filled in. Text of outsiders is [marked](governance.md#text-from-outside) before a model reads it.

To find one occurrence, search the logs for its reference or \`traceId\`, or run \`npm run signalbox -- dlq list\`.
`;

/** Who acts on an error, by its remedy, in the order of the page. */
const SECTIONS: Readonly<Record<Remedy, string>> = {
  'page-operator': 'For operators\n\nAn operator has to act. The log has the sentence at level `error`.',
  retry: 'Tried again\n\nSignalbox tries again by itself, each time later. An operator acts when it stays.',
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
