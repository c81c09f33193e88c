import type { Remedy } from '@signalbox/contracts/errors';

const HEAD = `# Errors

This page lists every error code with its message and what to do. \`npm test -- tests/architecture.test.ts -u\` makes it from
[errors.ts](../shared/contracts/src/errors.ts) (messages) and [remedies.json](../shared/contracts/src/remedies.json) (what to do).
Signalbox fills in the names in braces. Before a model reads a message, Signalbox [marks](governance.md#text-from-outside) the parts that outsiders wrote.

To find one occurrence of an error, search the logs for its reference or \`traceId\`, or run \`npm run signalbox -- dlq list\`.
`;

/** Who acts on an error, by its remedy, in the order of the page. */
const SECTIONS: Readonly<Record<Remedy, string>> = {
  'page-operator': 'For operators\n\nAn operator has to act. The error message is in the log at level `error`.',
  retry:
    'Tried again\n\nAfter these errors, Signalbox tries again by itself, with growing pauses. An operator acts when the error stays.',
  'tell-user': 'For the person who asked\n\nThe person reads the error message in the chat.',
  'tell-model': 'For the agent\n\nThe agent reads the error message, then tries another way or asks the person.',
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
