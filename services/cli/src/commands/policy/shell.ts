import { classifyCommand, type Classification } from '@signalbox/safety/shell/classification';
import { z } from 'zod';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { answerValidLine, answerLines } from '../../json-lines.ts';

/** Form of a line of `--jsonl`. Other fields are ignored. */
const LINE = {
  schema: z.object({
    command: z.string(),
    place: z.enum(['workspace', 'server'], 'write "workspace" or "server"').default('workspace'),
  }),
  example: '{"command": "ls -la", "place": "workspace"}',
};

/** `shell explain`: classifies a command without running it. Needs no server. */
export async function runShellExplain(context: CommandContext): Promise<CommandResult> {
  const [action, ...words] = context.arguments.words;
  if (action !== 'explain') throw new UsageError();
  if (context.arguments.jsonl)
    return answerLines(context, (asked) =>
      answerValidLine(LINE, asked, ({ command, place }) => classifyCommand(command, place)),
    );
  const command = words.join(' ');
  if (command.trim() === '') throw new UsageError();
  const classification = classifyCommand(command);
  return { ok: true, data: classification, lines: describe(classification) };
}

function describe({ decision, reason, risk, pipeline }: Classification): readonly string[] {
  const steps = (pipeline ?? []).map(
    (argv, index) => `${index === 0 ? 'runs     ' : 'and pipes'} ${JSON.stringify(argv)}`,
  );
  return [`decision  ${decision}`, `reason    ${reason}`, `risk      ${risk}`, ...steps];
}
